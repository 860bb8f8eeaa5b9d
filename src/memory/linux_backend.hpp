// The backend with Linux's NUMA calls. Not compiled if Atoll is built without them.
#pragma once

#include "atoll/memory/backend.hpp"

namespace Atoll::memory {

[[nodiscard]] Backend& linux_backend();

/// Returns 0 if this process may make NUMA calls, else the error: ENOSYS if the kernel was built
/// without them, EPERM if a container's filter forbids them.
[[nodiscard]] int refusal_of_numa_calls();

}  // namespace Atoll::memory
