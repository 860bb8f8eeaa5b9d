// Formats layouts and lists of nodes, and finds the nodes of a tier.
#include "atoll/plan/layout.hpp"

#include <fmt/format.h>

#include "atoll/base/units.hpp"
#include "base/overloaded.hpp"

namespace Atoll {

std::size_t Layout::copies() const {
  const auto* replicated = std::get_if<Replicated>(&where);
  return replicated ? replicated->nodes.size() : 1;
}

std::string to_string(const std::vector<NodeId>& nodes) {
  const auto repeats = [&](std::size_t at) {
    std::size_t end = at;
    while (end < nodes.size() && nodes[end] == nodes[at]) ++end;
    return end - at;
  };
  std::string text;
  for (std::size_t at = 0; at < nodes.size();) {
    const std::size_t times = repeats(at);
    const NodeId first = nodes[at];
    NodeId last = first;
    for (at += times;
         at < nodes.size() && last.value + 1 == nodes[at].value && repeats(at) == times;
         at += times)
      ++last.value;
    if (!text.empty()) text += ',';
    text += fmt::format("{}", first.value);
    if (last != first) text += fmt::format("-{}", last.value);
    if (times > 1) text += fmt::format("x{}", times);
  }
  return text;
}

std::string to_string(const Layout& layout) {
  const std::string where = std::visit(
      detail::Overloaded{
          [](const SingleNode& single) { return fmt::format("on node {}", single.node.value); },
          [](const Distributed& distributed) {
            return fmt::format("distributed over {} by {}", to_string(distributed.nodes),
                               format_bytes(distributed.granule_bytes));
          },
          [](const Partitioned& parts) {
            return fmt::format("partitioned over {}{}", to_string(parts.nodes),
                               parts.ends.empty() ? "" : " by given bounds");
          },
          [](const Replicated& copies) {
            return fmt::format("replicated on {}", to_string(copies.nodes));
          },
      },
      layout.where);
  return fmt::format("{}, {} pages{}", where, format_bytes(page_bytes(layout.pages)),
                     from_pool(layout.pages) ? " from the pool" : "");
}

std::vector<NodeId> tier_nodes(const Machine& machine, std::string_view tier) {
  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : machine.memories())
    if (memory.tier == tier) nodes.push_back(memory.id);
  return nodes;
}

}  // namespace Atoll
