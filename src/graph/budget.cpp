// Queries the memory module for the available memory.
#include "graph/budget.hpp"

#include "atoll/memory/backend.hpp"

namespace Atoll::graph {

std::uint64_t available_memory() {
  return memory::system_backend().available(PageSize::small).in_all();
}

}  // namespace Atoll::graph
