// Counts pages by node with the same map by which `memory` places them.
#include "plan/footprint.hpp"

#include <map>

#include "plan/page_map.hpp"

namespace Atoll::detail {

std::size_t runs(const std::vector<NodeId>& nodes) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < nodes.size(); ++i) count += nodes[i] != nodes[i - 1];
  return count;
}

Footprint footprint(const Layout& layout, std::uint64_t bytes, std::uint32_t element_bytes) {
  const std::uint64_t page = page_bytes(layout.pages);
  const std::uint64_t pages = bytes / page + (bytes % page != 0 ? 1 : 0);
  Footprint result;
  if (const auto* replicated = std::get_if<Replicated>(&layout.where)) {
    std::map<NodeId, std::uint64_t> copies;
    for (const NodeId node : replicated->nodes) copies[node] += pages;
    result.assign(copies.begin(), copies.end());
  } else {
    result = page_map(layout, bytes / element_bytes, element_bytes).counts(pages);
  }
  std::erase_if(result, [](const auto& piece) { return piece.second == 0; });
  for (auto& [node, size] : result) size *= page;
  return result;
}

}  // namespace Atoll::detail
