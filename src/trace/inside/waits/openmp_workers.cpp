// Threads that OpenMP's run-time libraries create: each waits for a region from its beginning on.
#include "trace/inside/waits/openmp.hpp"

using namespace Atoll::trace::inside::waits;

ATOLL_INTERPOSE void atoll_thread_runs(void* (*routine)(void*)) {
  if (is_of_runtime(reinterpret_cast<const void*>(routine)))
    tell({.call = WaitCall::asleep, .key = kIdle});
}
