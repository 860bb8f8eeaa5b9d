// Access to the simulated machine that this process presents to the program.
#pragma once

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

#include "simulate/inside/view.hpp"

#define ATOLL_INTERPOSE extern "C" __attribute__((visibility("default"), used))

namespace Atoll::simulate::inside {

/// Null if no machine is shown.
[[nodiscard]] View* view();
[[nodiscard]] const char* view_folder();

[[nodiscard]] bool is_shown(unsigned pu);
[[nodiscard]] bool is_shown_node(unsigned node);

// Threads' states (threads.cpp). These functions need a view.
/// Returns this thread's row. The first call creates it, with the state of the thread that created
/// or forked this one. Null if there are too many threads.
[[nodiscard]] ThreadRow* own_row();
/// Returns the row of a thread; 0 means this thread. Null if it has none.
[[nodiscard]] ThreadRow* row_of(int tid);
/// Returns the row of a thread of this process; null if it has none.
[[nodiscard]] ThreadRow* row_of(pthread_t thread);
/// Returns the state of a row; for null, the initial state.
[[nodiscard]] const ThreadState& state_of(const ThreadRow* row);

/// Returns false if `pus` contains no processing unit that is shown.
bool set_affinity(ThreadRow* row, const void* pus, std::size_t bytes);
/// Copies at most `bytes`. Returns the number of bytes copied, as the kernel does.
std::size_t copy_affinity(const ThreadRow* row, void* pus, std::size_t bytes);
/// Processing unit that this thread is bound to.
[[nodiscard]] unsigned present_pu();

/// Sends a query about a range to the simulator, and blocks until the simulator has processed
/// everything that precedes it in simulated time. Returns the answers in this thread's row; null if
/// the simulation has ended.
[[nodiscard]] const std::int16_t* ask(Question question, std::uint64_t address,
                                      std::uint64_t bytes);

/// Next definition of a function. (A local static would need C++'s run-time library.)
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
