// Calls that programs and libraries make by syscall(): futexes (std::atomic's wait and notify) and
// what places memory and threads (libnuma, hwloc).
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "trace/inside/waits/interpose.hpp"
#include "trace/inside/waits/placement.hpp"

using namespace Atoll::trace::inside::waits;

namespace {

constinit Next<long (*)(long, ...)> next_syscall{"syscall"};

/// Futexes have keys apart from locks': an address's neighbour.
std::uint64_t key_of_futex(const void* address) {
  return key_of(address) + 2;
}

long on_futex(const long (&a)[6], long number) {
  const auto* const address = reinterpret_cast<const void*>(a[0]);
  const long what = a[1] & FUTEX_CMD_MASK;
  const auto call = [&] { return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]); };
  if (what == FUTEX_WAKE || what == FUTEX_WAKE_BITSET) {
    tell({.call = WaitCall::release, .key = key_of_futex(address)});
    return call();
  }
  if (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) return call();
  falls_asleep(key_of_futex(address));
  const long result = call();
  const int error = errno;
  // Where the word has changed already, who changed it has let this thread go on.
  if (result == 0 || error == EAGAIN)
    tell({.call = WaitCall::waited, .key = key_of_futex(address)});
  else
    went_on(key_of_futex(address));
  errno = error;
  return result;
}

}  // namespace

ATOLL_INTERPOSE long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && !is_told_by_team && !ATOLL_OF_RUNTIME()) return on_futex(a, number);
  const long result = next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
  if (result < 0) return result;
  const int error = errno;
  switch (number) {
    case SYS_mbind:
      told_range_policy(static_cast<std::uint64_t>(a[0]), static_cast<std::uint64_t>(a[1]), a[2],
                        reinterpret_cast<const unsigned long*>(a[3]),
                        static_cast<unsigned long>(a[4]), static_cast<unsigned long>(a[5]));
      break;
    case SYS_set_mempolicy:
      told_thread_policy(a[0], reinterpret_cast<const unsigned long*>(a[1]),
                         static_cast<unsigned long>(a[2]));
      break;
    case SYS_move_pages:
      if (a[3] != 0) {
        told_move(static_cast<std::size_t>(a[1]), reinterpret_cast<void* const*>(a[2]),
                  reinterpret_cast<const int*>(a[3]), reinterpret_cast<const int*>(a[4]));
        // The simulator moves its pages when the call is reported.
        if (a[4] != 0) (void)next_syscall(number, a[0], a[1], a[2], 0L, a[4], a[5]);
      }
      break;
    case SYS_sched_setaffinity:
      told_binding(static_cast<std::uint64_t>(a[0]), reinterpret_cast<const void*>(a[2]),
                   static_cast<std::size_t>(a[1]));
      break;
    default:
      break;
  }
  errno = error;
  return result;
}
