// The backend with Linux's NUMA calls; left out where Atoll is built without them.
#pragma once

#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

[[nodiscard]] Backend& linux_backend();

/// 0 if this process may make NUMA calls, else why not: ENOSYS where the kernel was built without
/// them, EPERM where a container's filter forbids them.
[[nodiscard]] int refusal_of_numa_calls();

}  // namespace Atoll::memory
