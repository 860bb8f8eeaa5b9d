// Bytes per node, compared with a count of single pages.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "plan/footprint.hpp"

namespace Atoll::detail {
namespace {

// Returns the bytes of one copy on each node, page by page, by the definitions of Layout.
std::map<NodeId, std::uint64_t> page_by_page(const Layout& layout, std::uint64_t bytes) {
  const std::uint64_t page = page_bytes(layout.pages);
  const std::uint64_t pages = (bytes + page - 1) / page;
  std::map<NodeId, std::uint64_t> result;
  for (std::uint64_t p = 0; p < pages; ++p) {
    if (const auto* single = std::get_if<SingleNode>(&layout.where)) {
      result[single->node] += page;
    } else if (const auto* spread = std::get_if<Distributed>(&layout.where)) {
      result[spread->nodes[p * page / spread->granule_bytes % spread->nodes.size()]] += page;
    } else if (const auto* copies = std::get_if<Replicated>(&layout.where)) {
      for (const NodeId node : copies->nodes) result[node] += page;
    } else {
      // Finds the last part that begins at or before this page. Bounds are rounded to the nearest
      // page.
      const auto& parts = std::get<Partitioned>(layout.where).nodes;
      std::size_t mine = 0;
      for (std::size_t i = 0; i < parts.size(); ++i)
        if ((bytes * i / parts.size() + page / 2) / page <= p) mine = i;
      result[parts[mine]] += page;
    }
  }
  return result;
}

TEST(Footprint, AgreesWithCountingPages) {
  std::mt19937 random(5);
  const auto draw = [&](std::uint64_t n) {
    return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(random);
  };
  for (int round = 0; round < 4000; ++round) {
    Layout layout;
    layout.pages = draw(2) == 0 ? PageSize::small : PageSize::huge;
    const std::uint64_t page = page_bytes(layout.pages);
    const std::uint64_t bytes = draw(40 * page);
    std::vector<NodeId> nodes;
    for (std::uint64_t n = 1 + draw(9); n > 0; --n)
      nodes.push_back(NodeId{static_cast<std::uint32_t>(draw(6))});
    switch (draw(4)) {
      case 0:
        layout.where = SingleNode{nodes.front()};
        break;
      case 1:
        layout.where = Distributed{nodes, page * (1 + draw(3))};
        break;
      case 2:
        layout.where = Partitioned{nodes};
        break;
      default:
        layout.where = Replicated{nodes};
    }
    const auto expected = page_by_page(layout, bytes);
    const Footprint actual = footprint(layout, bytes);
    ASSERT_EQ(actual, Footprint(expected.begin(), expected.end()))
        << to_string(layout) << " of " << bytes;
  }
}

}  // namespace
}  // namespace Atoll::detail
