// Counts pages by node, layout by layout, with the rounding that `memory` does.
#include "plan/footprint.hpp"

#include <algorithm>

#include "base/overloaded.hpp"

namespace Atoll::detail {
namespace {

std::uint64_t whole_pages(std::uint64_t bytes, std::uint64_t page) {
  return (bytes / page + (bytes % page != 0 ? 1 : 0)) * page;
}

// Sorts by node and adds up the bytes on the same node.
Footprint by_node(Footprint pieces) {
  std::ranges::sort(pieces);
  Footprint sums;
  for (const auto& [node, bytes] : pieces) {
    if (bytes == 0) continue;
    if (!sums.empty() && sums.back().first == node) {
      sums.back().second += bytes;
    } else {
      sums.emplace_back(node, bytes);
    }
  }
  return sums;
}

Footprint pieces_of(const Distributed& distributed, std::uint64_t copy) {
  const std::uint64_t granule = distributed.granule_bytes;
  const std::uint64_t granules = whole_pages(copy, granule) / granule;
  const std::uint64_t missing = granules * granule - copy;  // bytes that the last granule lacks
  const std::size_t nodes = distributed.nodes.size();
  Footprint pieces;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::uint64_t mine = granules / nodes + (i < granules % nodes ? 1 : 0);
    const bool last = granules > 0 && (granules - 1) % nodes == i;
    pieces.emplace_back(distributed.nodes[i], mine * granule - (last ? missing : 0));
  }
  return pieces;
}

Footprint pieces_of(const Partitioned& parts, std::uint64_t bytes, std::uint64_t page,
                    std::uint32_t element_bytes) {
  const std::uint64_t count = parts.nodes.size();
  const auto bound = [&](std::uint64_t i) {  // the byte where part i begins, at the nearest page
    const std::uint64_t exact = parts.ends.empty()
                                    ? bytes / count * i + bytes % count * i / count
                                    : (i == 0 ? 0 : parts.ends[i - 1] * element_bytes);
    return (std::min(exact, bytes) + page / 2) / page * page;
  };
  Footprint pieces;
  for (std::uint64_t i = 0; i + 1 < count; ++i)
    pieces.emplace_back(parts.nodes[i], bound(i + 1) - bound(i));
  const std::uint64_t rest = bytes - std::min(bytes, bound(count - 1));
  pieces.emplace_back(parts.nodes.back(), whole_pages(rest, page));
  return pieces;
}

}  // namespace

std::size_t runs(const std::vector<NodeId>& nodes) {
  std::size_t count = 1;
  for (std::size_t i = 1; i < nodes.size(); ++i) count += nodes[i] != nodes[i - 1];
  return count;
}

Footprint footprint(const Layout& layout, std::uint64_t bytes, std::uint32_t element_bytes) {
  const std::uint64_t page = page_bytes(layout.pages);
  const std::uint64_t copy = whole_pages(bytes, page);
  return by_node(std::visit(
      Overloaded{
          [&](const SingleNode& single) {
            return Footprint{{single.node, copy}};
          },
          [&](const Distributed& distributed) { return pieces_of(distributed, copy); },
          [&](const Partitioned& parts) { return pieces_of(parts, bytes, page, element_bytes); },
          [&](const Replicated& replicated) {
            Footprint copies;
            for (const NodeId node : replicated.nodes) copies.emplace_back(node, copy);
            return copies;
          },
      },
      layout.where));
}

}  // namespace Atoll::detail
