// The memory seam's word on what is available.
#include "graph/budget.hpp"

#include <algorithm>

#include "atoll/memory/backend.hpp"

namespace Atoll::graph {

std::uint64_t available_memory() {
  const memory::Available available = memory::system_backend().available(PageSize::small);
  return std::min(available.bytes_in_all, available.cgroup_bytes);
}

}  // namespace Atoll::graph
