// Common parts of the interposers of libatoll-waits.so: access to the replaced functions, and the
// reporting of waits.
//
// A turn is a section that threads of a simulated program execute one at a time, in the order of
// their simulated times. The simulator assigns turns. Operations whose result depends on the order
// of threads, such as lock attempts, are executed in turns.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "marks/preloaded.hpp"
#include "record/waits.hpp"

#define ATOLL_INTERPOSE extern "C" __attribute__((visibility("default"), used))

namespace Atoll::record::inside::waits {

using record::WaitCall;
using record::WaitReport;

/// The next definition of a function after this library's, usually libc's; looked up at the first
/// call. (A local constant would need C++'s run-time library.)
template <typename Function>
class Next {
 public:
  constexpr explicit Next(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}
  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }
  [[nodiscard]] Function get() {
    auto found = found_.load(std::memory_order_acquire);
    if (found != nullptr) return found;
    found = reinterpret_cast<Function>(version_ == nullptr ? ::dlsym(RTLD_NEXT, name_)
                                                           : ::dlvsym(RTLD_NEXT, name_, version_));
    if (found == nullptr) found = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name_));
    found_.store(found, std::memory_order_release);
    return found;
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<Function> found_{nullptr};
};
#define ATOLL_NEXT(function)                                                              \
  constinit ::Atoll::record::inside::waits::Next<decltype(&::function)> next_##function { \
    #function                                                                             \
  }

inline std::uint64_t key_of(const volatile void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

/// Reports to the recorder. Returns WaitReport::answer.
inline bool record(WaitReport report) {
  if (atoll_tell_wait != nullptr) atoll_tell_wait(&report);
  return report.answer;
}

/// True for calls that OpenMP's run-time libraries make internally. Their waits are reported by the
/// interposers of the program's calls (openmp.hpp).
[[nodiscard]] bool is_of_runtime(const void* return_address);
void look_for_runtimes();
#define ATOLL_OF_RUNTIME() is_of_runtime(__builtin_return_address(0))

/// True while this thread waits for threads of a team or wakes them (team.cpp).
extern constinit thread_local bool is_in_team_wait;

constexpr std::uint32_t kLockBytes = 4;

/// Returns the key that every unlock of this mutex releases. Returns 0 if libc must do the wait:
/// for process-shared, error-checking, priority-inheriting or robust mutexes.
inline std::uint64_t release_key(const pthread_mutex_t* mutex) {
  constexpr int kKinds = 3, kElision = 0x300;
  const int kind = mutex->__data.__kind & ~kElision;
  return (kind & ~kKinds) == 0 && kind != PTHREAD_MUTEX_ERRORCHECK ? key_of(mutex) : 0;
}

inline void released(const volatile void* lock, std::uint64_t touches = kLockBytes) {
  record({.call = WaitCall::release, .key = key_of(lock), .touches = touches});
}
inline void record_sleep(std::uint64_t key, std::uint64_t other = 0) {
  record({.call = WaitCall::asleep, .hides = true, .key = key, .other = other});
}
inline void waited(const volatile void* lock, std::uint64_t touches = kLockBytes) {
  record({.call = WaitCall::waited, .key = key_of(lock), .touches = touches});
}
inline void record_lock_access(const volatile void* lock) {
  record({.call = WaitCall::continued, .key = key_of(lock), .touches = kLockBytes});
}

/// Blocks until it is this thread's turn. With a key in `release_key`, first waits for the next
/// release of that key. Returns false if there is no simulator.
inline bool request_turn(std::uint64_t release_key = 0) {
  return record({.call = WaitCall::requests_turn, .key = release_key});
}
inline void end_turn() {
  record({.call = WaitCall::ends_turn});
}
template <typename Call>
auto in_turn(Call&& call) {
  request_turn();
  auto result = call();
  end_turn();
  return result;
}
/// Releases a lock in a turn, since attempts to acquire it are made in turns.
template <typename Call>
auto release_in_turn(const volatile void* lock, Call&& call) {
  record_lock_access(lock);
  return in_turn([&] {
    released(lock, 0);
    return call();
  });
}
/// True if a loaded module calls OpenMP's functions for tasks.
[[nodiscard]] bool has_tasks();

/// Reports one more unsuccessful check in a wait loop of the run-time library. (Only threads that
/// may have to execute tasks wait long in such loops.)
inline void spins() {
  if (has_tasks()) record({.call = WaitCall::spins});
}
inline void record_continued(std::uint64_t key) {
  record({.call = WaitCall::continued, .key = key});
}

/// Acquires a lock, after a wait if necessary. `release_key`: key that every release of the lock
/// releases; 0: some releases aren't reported.
template <typename Try, typename Wait>
int acquire(const volatile void* lock, std::uint64_t key, std::uint64_t release_key, Try&& attempt,
            Wait&& wait) {
  bool has_turn = request_turn();
  int error = attempt();
  end_turn();
  while (error == EBUSY && has_turn && release_key != 0) {
    has_turn = request_turn(release_key);
    error = attempt();
    end_turn();
  }
  if (error == EBUSY) {
    record_sleep(key);
    error = wait();
  }
  if (error == 0 || error == EOWNERDEAD)
    record({.call = WaitCall::waited, .key = key, .touches = 0});
  else
    record_continued(key);
  if (error == 0) record_lock_access(lock);
  return error;
}

}  // namespace Atoll::record::inside::waits
