// Translates layouts into placements of `memory`.
#include "array/placements.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "atoll/base/error.hpp"
#include "base/overloaded.hpp"
#include "plan/page_map.hpp"

namespace Atoll {

Slice slice_of(std::size_t size, int part, int parts) {
  const auto position = static_cast<std::size_t>(part), count = static_cast<std::size_t>(parts);
  return {detail::share_of(size, position, count), detail::share_of(size, position + 1, count)};
}

std::vector<memory::Placement> placements(const Layout& layout, std::size_t size,
                                          std::size_t element_bytes) {
  using Copies = std::vector<memory::Placement>;
  return std::visit(
      detail::Overloaded{
          [](const SingleNode& single) { return Copies{memory::OnNode{single.node}}; },
          [](const Distributed& distributed) {
            return Copies{memory::Interleaved{distributed.nodes, distributed.granule_bytes}};
          },
          [&](const Partitioned& partitioned) {
            memory::Runs runs;
            std::size_t begin = 0, part = 0;
            for (const std::size_t end : detail::ends_of(partitioned, size)) {
              runs.runs.push_back({(end - begin) * element_bytes, partitioned.nodes[part++]});
              begin = end;
            }
            return Copies{std::move(runs)};
          },
          [](const Replicated& replicated) {
            Copies copies;
            for (const NodeId node : replicated.nodes) copies.emplace_back(memory::OnNode{node});
            return copies;
          },
      },
      layout.where);
}

void check_layout(const Layout& layout, const Machine& machine, std::size_t size) {
  if (const auto* parts = std::get_if<Partitioned>(&layout.where);
      parts != nullptr && !parts->ends.empty()) {
    if (parts->ends.size() != parts->nodes.size())
      throw Error::input("layout",
                         std::to_string(parts->ends.size()) + " bounds for " +
                             std::to_string(parts->nodes.size()) + " parts",
                         "give the end of each part");
    if (!std::is_sorted(parts->ends.begin(), parts->ends.end()) || parts->ends.back() != size)
      throw Error::input("layout",
                         "the parts don't cover the " + std::to_string(size) + " elements",
                         "let their ends ascend to the array's size");
  }
  std::visit(
      [&](const auto& where) {
        if constexpr (requires { where.nodes; }) {
          if (where.nodes.empty())
            throw Error::input("layout", "names no node", "name at least one");
          for (const NodeId node : where.nodes) static_cast<void>(machine.memory(node));
        } else {
          static_cast<void>(machine.memory(where.node));
        }
      },
      layout.where);
}

std::vector<std::uint32_t> nearest_by_initiator(const Machine& machine,
                                                const std::vector<NodeId>& nodes) {
  std::vector<std::uint32_t> nearest;
  for (const NodeId initiator : machine.initiators()) {
    const auto farness = [&](NodeId node) {
      return std::pair(machine.link(initiator, node).latency_ns.value, node != initiator);
    };
    const auto found = std::min_element(
        nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) { return farness(a) < farness(b); });
    if (nearest.size() <= initiator.value) nearest.resize(initiator.value + 1);
    nearest[initiator.value] = static_cast<std::uint32_t>(found - nodes.begin());
  }
  return nearest;
}

}  // namespace Atoll
