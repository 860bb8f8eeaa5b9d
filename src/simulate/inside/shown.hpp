// The machine that this process shows to its program, if it shows one.
#pragma once

#include <dlfcn.h>
#include <stddef.h>

#include "simulate/inside/view.hpp"

#define ATOLL_INTERPOSE extern "C" __attribute__((visibility("default"), used))

namespace Atoll::simulate::inside {

/// Null: nothing is shown.
[[nodiscard]] View* view();
[[nodiscard]] const char* view_folder();

[[nodiscard]] bool is_shown(unsigned pu);
[[nodiscard]] bool is_shown_node(unsigned node);

/// A thread's affinity, as the program set it.
struct Affinity {
  std::uint64_t words[kMaxPus / 64];
};
void get_affinity(int tid, Affinity& found);
/// Returns false if it has no processing unit that is shown.
bool set_affinity(int tid, const void* pus, std::size_t bytes);
/// Copies as much as the caller has room for; returns how many bytes, as the kernel does.
std::size_t copy_affinity(int tid, void* pus, std::size_t bytes);
/// Where this thread stands.
[[nodiscard]] unsigned present_pu();

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
