// Counts pages and accesses by node.
#include "profile/balance.hpp"

#include <numeric>

namespace Atoll::profile {

Balances balance(const PagesByNode& pages, const Places& places, std::size_t objects) {
  const std::vector<std::uint64_t> zeros(pages.nodes);
  Balances result{.program = {zeros, zeros}};
  result.of_objects.assign(objects, {zeros, zeros});
  for (std::size_t row = 0; row < pages.rows.size(); row = pages.page_end(row)) {
    const std::uint32_t node = places.node_of(pages.rows[row].first_touch, pages.rows[row].page);
    ++result.program.pages[node];
    for (std::size_t part = row; part < pages.page_end(row); ++part) {
      const auto counts = pages.of(part);
      const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
      Balance& object = result.of_objects[pages.rows[part].object];
      ++object.pages[node];
      object.accesses[node] += all;
      result.program.accesses[node] += all;
    }
  }
  return result;
}

}  // namespace Atoll::profile
