// Asks the memory module what is available.
#include "graph/budget.hpp"

#include "atoll/memory/backend.hpp"

namespace Atoll::graph {

std::uint64_t available_memory() {
  return memory::system_backend().available(PageSize::small).in_all();
}

}  // namespace Atoll::graph
