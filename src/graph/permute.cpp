// Reorders a graph's nodes with their edges, values and labels.
#include <algorithm>
#include <numeric>

#include "atoll/graph/reorder.hpp"
#include "graph/labels.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {
namespace {

void copy(Graph::State::Content& to, const Graph::State::Content& from) {
  if (!from.there) return;
  Buffer<std::byte> bytes(from.bytes.size());
  std::ranges::copy(from.bytes, bytes.data());
  adopt(to, std::move(bytes));
}

}  // namespace

Graph permuted(const Graph& graph, std::span<const std::uint32_t> order, const Team& team) {
  auto state = std::make_unique<Graph::State>();
  state->nodes = graph.nodes();
  state->edges = graph.edges();
  state->node_width = graph.node_width();
  state->edge_width = graph.edge_width();
  state->value_names = graph.value_names();
  const std::vector<std::uint32_t> place = places_of(order);
  const std::size_t names = graph.value_names().size();
  with_id_types(graph, [&]<class Node, class Edge>() {
    const auto old_begin = graph.ids<Edge>(Section::begin);
    const auto old_targets = graph.ids<Node>(Section::node_idx);
    Buffer<Edge> begin(graph.nodes() + 1);
    Buffer<Node> targets(graph.edges());
    Buffer<std::uint64_t> values(names * graph.edges());  // bits of doubles or integers
    const auto* const old_values =
        reinterpret_cast<const std::uint64_t*>(graph.state().values.bytes.data());
    std::vector<std::pair<Node, std::uint64_t>> row;
    std::uint64_t at = 0;
    for (std::size_t k = 0; k < order.size(); ++k) {
      begin[k] = static_cast<Edge>(at);
      row.clear();
      for (std::uint64_t edge = old_begin[order[k]]; edge < old_begin[order[k] + 1]; ++edge)
        row.emplace_back(static_cast<Node>(place[old_targets[edge]]), edge);
      std::sort(row.begin(), row.end());
      for (const auto& [target, edge] : row) {
        targets[at] = target;
        for (std::size_t name = 0; name < names; ++name)
          values[name * graph.edges() + at] = old_values[name * graph.edges() + edge];
        ++at;
      }
    }
    begin[order.size()] = static_cast<Edge>(at);
    adopt(state->section(Section::begin), std::move(begin));
    adopt(state->section(Section::node_idx), std::move(targets));
    if (names > 0) {
      adopt(state->values, std::move(values));
      copy(state->value_text, graph.state().value_text);
      copy(state->value_kinds, graph.state().value_kinds);
    }
  });
  std::vector<std::string> labels;
  labels.reserve(order.size());
  for (const std::uint32_t node : order) labels.push_back(graph.label(node));
  set_labels(*state, labels);
  Graph result(std::move(state));
  for (const Section section : {Section::r_begin, Section::r_node_idx, Section::r_edge_idx})
    if (graph.has(section)) result.require(section, team);
  return result;
}

}  // namespace Atoll::graph
