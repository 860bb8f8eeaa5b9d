// A graph whose arrays belong to the caller.
#include <fmt/format.h>

#include "atoll/graph/graph.hpp"
#include "atoll/graph/nil.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {
namespace {

Error wrong(std::string_view array, const std::string& what, std::string_view way_out) {
  return Error::input(array, what, way_out);
}

}  // namespace

template <class Node, class Edge>
Graph borrow_csr(std::span<const Edge> begin, std::span<const Node> targets) {
  if (begin.empty() || begin.front() != 0)
    throw wrong("begin", "doesn't start with 0", "give nodes + 1 offsets");
  const std::uint64_t nodes = begin.size() - 1;
  if (begin.back() != targets.size())
    throw wrong("begin",
                fmt::format("ends with {}, but there are {} targets", begin.back(), targets.size()),
                "its last offset is the number of edges");
  if (nodes >= kNil<Node> || targets.size() >= kNil<Edge>)
    throw wrong("begin", "the ids are too narrow for this graph", "give 64 bits");
  for (std::uint64_t node = 0; node < nodes; ++node) {
    if (begin[node + 1] < begin[node])
      throw wrong("begin", fmt::format("offset {} is less than the one before", node + 1),
                  "offsets ascend");
    if (begin[node + 1] > targets.size())
      throw wrong("begin", fmt::format("offset {} is behind the last edge", node + 1),
                  "offsets ascend to the number of edges");
    for (Edge edge = begin[node]; edge < begin[node + 1]; ++edge) {
      if (targets[edge] >= nodes)
        throw wrong("targets",
                    fmt::format("edge {} goes to {}, which is no node", edge, targets[edge]),
                    fmt::format("nodes are numbered from 0 below {}", nodes));
      if (edge > begin[node] && targets[edge] < targets[edge - 1])
        throw wrong("targets", fmt::format("those of node {} don't ascend", node),
                    "sort the targets of each node");
    }
  }
  auto state = std::make_unique<Graph::State>();
  state->nodes = nodes;
  state->edges = targets.size();
  state->node_width = kWidthOf<Node>;
  state->edge_width = kWidthOf<Edge>;
  const auto lend = [&](Section section, std::span<const std::byte> bytes) {
    state->section(section).bytes = bytes;
    state->section(section).there = true;
  };
  lend(Section::begin, std::as_bytes(begin));
  lend(Section::node_idx, std::as_bytes(targets));
  return Graph(std::move(state));
}

template Graph borrow_csr(std::span<const std::uint32_t>, std::span<const std::uint32_t>);
template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint32_t>);
template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint64_t>);

}  // namespace Atoll::graph
