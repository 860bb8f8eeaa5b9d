// Reports joined and detached threads. Afterwards their creator may create other threads in their
// place.
#include <time.h>

#include "process/inside/process.hpp"

namespace {

using namespace Atoll::process::inside;

std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

/// Calls libc's function. The call is a cancellation point and may not return, so no object here
/// may depend on its return.
template <typename Join>
int join(pthread_t thread, Join&& libcs) {
  (void)started();
  const std::uint64_t since_ns = now_ns();
  const int error = libcs();
  ThreadPart& part = this_thread_part;
  if (error != 0 || !reports_events(part)) return error;
  const KeepErrno keep;
  const Inside inside(part);
  hooks::on_joined(number_of(thread), since_ns);
  return error;
}

template <typename Detach>
int detach(pthread_t thread, Detach&& libcs) {
  (void)started();
  ThreadPart& part = this_thread_part;
  if (reports_events(part)) {  // before the call: afterwards the number may identify another thread
    const KeepErrno keep;
    const Inside inside(part);
    hooks::on_detached(number_of(thread));
  }
  return libcs();
}

}  // namespace

ATOLL_INTERPOSE int pthread_join(pthread_t thread, void** result) {
  return join(thread, [&] { return next.pthread_join(thread, result); });
}

ATOLL_INTERPOSE int pthread_tryjoin_np(pthread_t thread, void** result) noexcept {
  return join(thread, [&] { return next.pthread_tryjoin_np(thread, result); });
}

ATOLL_INTERPOSE int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  return join(thread, [&] { return next.pthread_timedjoin_np(thread, result, until); });
}

ATOLL_INTERPOSE int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                         const timespec* until) {
  return join(thread, [&] { return next.pthread_clockjoin_np(thread, result, clock, until); });
}

ATOLL_INTERPOSE int thrd_join(thrd_t thread, int* result) {
  return join(thread, [&] { return next.thrd_join(thread, result); });
}

ATOLL_INTERPOSE int pthread_detach(pthread_t thread) noexcept {
  return detach(thread, [&] { return next.pthread_detach(thread); });
}

ATOLL_INTERPOSE int thrd_detach(thrd_t thread) {
  return detach(thread, [&] { return next.thrd_detach(thread); });
}
