// The machine that this process shows to its program, if it shows one.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "simulate/inside/view.hpp"

#define ATOLL_INTERPOSE extern "C" __attribute__((visibility("default"), used))

namespace Atoll::simulate::inside {

/// Null: nothing is shown.
[[nodiscard]] View* view();
[[nodiscard]] const char* view_folder();

[[nodiscard]] bool is_shown(unsigned pu);
[[nodiscard]] bool is_shown_node(unsigned node);

// Threads' states (threads.cpp). They need a view.
/// This thread's row. It is made at the first call: with the state of the thread that created or
/// forked this one. Null: there are too many threads.
[[nodiscard]] ThreadRow* own_row();
/// The row of another thread, or of this one (0); null: it has none.
[[nodiscard]] ThreadRow* row_of(int tid);
/// The row of a thread of this process; null: it has none.
[[nodiscard]] ThreadRow* row_of(pthread_t thread);
/// The state of a row; null: that of a thread that has set nothing.
[[nodiscard]] const ThreadState& state_of(const ThreadRow* row);

/// Returns false if it has no processing unit that is shown.
bool set_affinity(ThreadRow* row, const void* pus, std::size_t bytes);
/// Copies as much as the caller has room for; returns how many bytes, as the kernel does.
std::size_t copy_affinity(const ThreadRow* row, void* pus, std::size_t bytes);
/// Where this thread stands.
[[nodiscard]] unsigned present_pu();

/// Asks the simulator about a range, when all that came before in simulated time has been done
/// there. Returns this thread's answers; null: nobody simulates any more.
[[nodiscard]] const std::int16_t* ask(Question question, std::uint64_t address,
                                      std::uint64_t bytes);

/// The next definition of a function. (A constant that is local would need C++'s run-time library.)
template <typename Function>
class Next {
 public:
  constexpr explicit Next(const char* name) : name_(name) {}
  [[nodiscard]] Function get() {
    Function found = found_.load(std::memory_order_acquire);
    if (found == nullptr) {
      found = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name_));
      found_.store(found, std::memory_order_release);
    }
    return found;
  }
  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }

 private:
  const char* name_;
  std::atomic<Function> found_{nullptr};
};

}  // namespace Atoll::simulate::inside
