// libatoll-policies.so: records memory policies of programs whose accesses are counted. Programs
// and libraries (libnuma, hwloc) set policies by syscall().
#include <errno.h>
#include <stdarg.h>

#include "record/inside/policies/policy_records.hpp"
#include "record/inside/waits/interpose.hpp"

namespace {

constinit Atoll::record::inside::waits::Next<long (*)(long, ...)> next_syscall{"syscall"};

long call(long number, const long (&a)[6]) {
  return next_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

}  // namespace

ATOLL_INTERPOSE long syscall(long number, ...) noexcept {
  long a[6];
  va_list list;
  va_start(list, number);
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  const long result = call(number, a);
  if (result < 0) return result;
  const int error = errno;
  Atoll::record::inside::record_policy_call(number, a, call);
  errno = error;
  return result;
}
