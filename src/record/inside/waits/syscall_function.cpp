// Interposer of syscall(), by which programs and libraries use futexes (std::atomic's wait and
// notify) and place memory and threads (libnuma, hwloc).
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "record/inside/policies/policy_records.hpp"
#include "record/inside/waits/interpose.hpp"
#include "record/inside/waits/placement.hpp"

using namespace Atoll::record::inside::waits;
using Atoll::record::inside::record_policy_call;

namespace {

constinit Next<long (*)(long, ...)> next_syscall{"syscall"};

/// Returns a key that differs from the key of a lock at the same address.
std::uint64_t key_of_futex(const void* address) {
  return key_of(address) + 2;
}

long on_futex(const long (&a)[6], long number) {
  const auto* const address = reinterpret_cast<const void*>(a[0]);
  const long what = a[1] & FUTEX_CMD_MASK;
  const auto call = [&] { return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
  if (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET) {
    record({.call = WaitCall::release, .key = key_of_futex(address)});
    return call();
  }
  if (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) return call();
  record_sleep(key_of_futex(address));
  const long result = call();
  const int error = errno;
  // EAGAIN: the word has changed already, and the thread that changed it lets this thread continue.
  if (result == 0 || error == EAGAIN)
    record({.call = WaitCall::waited, .key = key_of_futex(address)});
  else
    record_continued(key_of_futex(address));
  errno = error;
  return result;
}

long ask(long number, const long (&a)[6]) {
  return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace

ATOLL_INTERPOSE long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && !is_in_team_wait && !ATOLL_OF_RUNTIME()) return on_futex(a, number);
  const long result = next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0) return result;
  const int error = errno;
  if (number == SYS_sched_setaffinity)
    record_binding(static_cast<std::uint64_t>(a[0]), reinterpret_cast<const void*>(a[2]),
                   static_cast<std::size_t>(a[1]));
  else
    record_policy_call(number, a, ask);
  errno = error;
  return result;
}
