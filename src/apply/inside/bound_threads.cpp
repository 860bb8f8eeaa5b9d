// Hides the plan's bindings from the program's affinity queries. Run-time libraries count
// processing units to choose the number of threads; if the first thread is bound to one unit, they
// would start none.
#include "apply/inside/bound_threads.hpp"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "apply/inside/bind.hpp"
#include "apply/inside/table_access.hpp"
#include "process/inside/system.hpp"

namespace Atoll::apply::inside {
namespace {

/// A bound thread. Threads that don't fit into the table are bound once, without protection against
/// the program's own calls.
struct Bound {
  std::atomic<std::int32_t> tid;
  Units units;
};
constexpr std::size_t kMaxBound = 4096;
std::atomic<Bound*> bound;

Bound* all_bound() {
  Bound* all = bound.load();
  if (all != nullptr) return all;
  auto* fresh = static_cast<Bound*>(process::inside::map_pages(kMaxBound * sizeof(Bound)));
  if (fresh == nullptr || bound.compare_exchange_strong(all, fresh)) return fresh;
  process::inside::unmap_pages(fresh, kMaxBound * sizeof(Bound));
  return all;
}

template <typename Each>
void for_each_bound(const Each& each) {
  Bound* all = bound.load();
  if (all == nullptr) return;
  for (Bound* one = all; one != all + kMaxBound; ++one)
    if (one->tid.load() > 0) each(*one);
}

/// If a mask equals the planned units of one of this process's threads, replaces it by the units
/// that the program would have without a plan.
void hide_plan(std::size_t bytes, void* mask) {
  if (table() == nullptr) return;
  Units told{};
  ::memcpy(&told, mask, std::min(bytes, sizeof told));
  bool is_plan = false;
  for_each_bound([&](const Bound& one) { is_plan = is_plan || one.units == told; });
  if (is_plan) ::memcpy(mask, &table()->allowed, std::min(bytes, sizeof told));
}

}  // namespace

constinit thread_local ThreadPart this_thread_part;

std::int32_t this_tid() {
  const process::inside::KeepErrno keep;
  return static_cast<std::int32_t>(::syscall(SYS_gettid));
}

void bind_this_thread(const Units& units) {
  bind_thread(0, units);
  const std::int32_t tid = this_tid();
  Bound* all = all_bound();
  if (all == nullptr) return;
  Bound* mine = nullptr;
  for_each_bound([&](Bound& one) { mine = one.tid.load() == tid ? &one : mine; });
  for (Bound* one = all; mine == nullptr && one != all + kMaxBound; ++one)
    if (std::int32_t nobody = 0; one->tid.compare_exchange_strong(nobody, -1)) mine = one;
  if (mine == nullptr) return;
  mine->units = units;
  mine->tid.store(tid);
}

void forget_this_thread() {
  const std::int32_t tid = this_tid();
  for_each_bound([&](Bound& one) {
    if (one.tid.load() == tid) one.tid.store(0);
  });
}

void forget_others() {
  Units mine;
  const bool known = units_of_thread(0, mine);
  bool was_bound = false;
  for_each_bound([&](Bound& one) {
    was_bound = was_bound || (known && one.units == mine);
    one.tid.store(0);
  });
  if (was_bound) bind_this_thread(mine);
}

bool bind_again(std::int32_t tid) {
  bool overruled = false;
  for_each_bound([&](Bound& one) {
    if (tid != 0 && one.tid.load() != tid) return;
    Units now;
    if (!units_of_thread(one.tid.load(), now) || now == one.units) return;
    bind_thread(one.tid.load(), one.units);
    overruled = true;
  });
  return overruled;
}

}  // namespace Atoll::apply::inside

#define ATOLL_EXPORT extern "C" __attribute__((visibility("default")))

ATOLL_EXPORT int sched_getaffinity(pid_t pid, std::size_t bytes, cpu_set_t* mask) noexcept {
  const long written = ::syscall(SYS_sched_getaffinity, pid, bytes, mask);
  if (written < 0) return -1;
  ::memset(reinterpret_cast<char*>(mask) + written, 0, bytes - static_cast<std::size_t>(written));
  Atoll::apply::inside::hide_plan(bytes, mask);
  return 0;
}

ATOLL_EXPORT int pthread_getaffinity_np(pthread_t thread, std::size_t bytes,
                                        cpu_set_t* mask) noexcept {
  // The inverted thread id is in the upper bits of the clock's id.
  clockid_t clock = 0;
  if (const int error = ::pthread_getcpuclockid(thread, &clock); error != 0) return error;
  return ::sched_getaffinity(~(clock >> 3), bytes, mask) == 0 ? 0 : errno;
}
