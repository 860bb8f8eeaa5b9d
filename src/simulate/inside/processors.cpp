// Calls by which a program queries the number of processing units and its own position.
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "simulate/inside/shown.hpp"

using namespace Atoll::simulate::inside;

namespace {

#define ATOLL_NEXT(function)                              \
  constinit Next<decltype(&::function)> next_##function { \
    #function                                             \
  }
ATOLL_NEXT(sysconf);
ATOLL_NEXT(get_nprocs);
ATOLL_NEXT(get_nprocs_conf);
ATOLL_NEXT(sched_getcpu);
ATOLL_NEXT(sched_getaffinity);
ATOLL_NEXT(sched_setaffinity);
ATOLL_NEXT(pthread_getaffinity_np);
ATOLL_NEXT(pthread_setaffinity_np);
constinit Next<int (*)(unsigned*, unsigned*)> next_getcpu{"getcpu"};

int get_affinity(const ThreadRow* row, std::size_t bytes, cpu_set_t* pus) {
  auto* const room = reinterpret_cast<unsigned char*>(pus);
  for (std::size_t i = copy_affinity(row, pus, bytes); i < bytes; ++i) room[i] = 0;
  return 0;
}

}  // namespace

ATOLL_INTERPOSE long sysconf(int name) noexcept {
  const View* const seen = view();
  if (seen != nullptr && name == _SC_NPROCESSORS_CONF) return seen->pus;
  // Programs create one thread per unit. So this returns the units of --threads, as musl, which
  // uses the affinity, does.
  if (seen != nullptr && name == _SC_NPROCESSORS_ONLN) return seen->allowed_pus;
  return next_sysconf(name);
}

ATOLL_INTERPOSE int get_nprocs(void) noexcept {
  const View* const seen = view();
  return seen != nullptr ? static_cast<int>(seen->allowed_pus) : next_get_nprocs();
}

ATOLL_INTERPOSE int get_nprocs_conf(void) noexcept {
  const View* const seen = view();
  return seen != nullptr ? static_cast<int>(seen->pus) : next_get_nprocs_conf();
}

ATOLL_INTERPOSE int sched_getcpu(void) noexcept {
  return view() != nullptr ? static_cast<int>(present_pu()) : next_sched_getcpu();
}

ATOLL_INTERPOSE int getcpu(unsigned* pu, unsigned* node) noexcept {
  const View* const seen = view();
  if (seen == nullptr) return next_getcpu(pu, node);
  const unsigned now = present_pu();
  if (pu != nullptr) *pu = now;
  if (node != nullptr) *node = seen->node_of_pu[now];
  return 0;
}

ATOLL_INTERPOSE int sched_getaffinity(pid_t tid, std::size_t bytes, cpu_set_t* pus) noexcept {
  if (view() == nullptr) return next_sched_getaffinity(tid, bytes, pus);
  return get_affinity(row_of(tid), bytes, pus);
}

ATOLL_INTERPOSE int sched_setaffinity(pid_t tid, std::size_t bytes, const cpu_set_t* pus) noexcept {
  if (view() == nullptr) return next_sched_setaffinity(tid, bytes, pus);
  if (set_affinity(row_of(tid), pus, bytes)) return 0;
  errno = EINVAL;
  return -1;
}

ATOLL_INTERPOSE int pthread_getaffinity_np(pthread_t thread, std::size_t bytes,
                                           cpu_set_t* pus) noexcept {
  if (view() == nullptr) return next_pthread_getaffinity_np(thread, bytes, pus);
  return get_affinity(row_of(thread), bytes, pus);
}

ATOLL_INTERPOSE int pthread_setaffinity_np(pthread_t thread, std::size_t bytes,
                                           const cpu_set_t* pus) noexcept {
  if (view() == nullptr) return next_pthread_setaffinity_np(thread, bytes, pus);
  return set_affinity(row_of(thread), pus, bytes) ? 0 : EINVAL;
}
