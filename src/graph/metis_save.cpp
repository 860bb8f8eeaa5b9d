// Writes METIS graphs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/graph/metis.hpp"
#include "graph/metis_text.hpp"
#include "graph/state.hpp"

namespace Atoll::graph {
namespace {

/// Optional weights; an empty list means that there are none.
struct Weights {
  const std::vector<std::uint32_t>& of_vertices;
  const std::vector<std::uint32_t>& of_edges;
};

/// Writes a line for each vertex: its `numbers` weights, then its neighbours.
void write_rows(const std::vector<std::uint64_t>& begin,
                const std::vector<std::uint32_t>& neighbours, const Weights& weights,
                std::size_t numbers, std::string_view format, const std::string& path) {
  AtomicFile file(path);
  const std::size_t vertices = begin.size() - 1;
  std::string text = fmt::format("{} {}{}\n", vertices, neighbours.size() / 2, format);
  const auto add = [&](std::uint64_t number, bool first) {
    if (!first) text += ' ';
    fmt::format_to(std::back_inserter(text), "{}", number);
  };
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    bool first = true;
    for (std::size_t i = 0; i < numbers; ++i, first = false)
      add(weights.of_vertices[vertex * numbers + i], first);
    for (std::uint64_t i = begin[vertex]; i < begin[vertex + 1]; ++i, first = false) {
      add(std::uint64_t{neighbours[i]} + 1, first);
      if (!weights.of_edges.empty()) add(weights.of_edges[i], false);
    }
    text += '\n';
    if (text.size() < (std::size_t{1} << 20)) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
  file.commit();
}

}  // namespace

void write_metis(const MetisGraph& graph, const std::string& path) {
  const bool plain = !graph.sizes && graph.constraints == 0 && graph.edge_weights.empty();
  const std::string format =
      plain ? ""
            : fmt::format(" {:d}{:d}{:d}{}", graph.sizes, graph.constraints > 0,
                          !graph.edge_weights.empty(),
                          graph.constraints > 1 ? fmt::format(" {}", graph.constraints) : "");
  write_rows(graph.begin, graph.neighbours, {graph.vertex_numbers, graph.edge_weights},
             graph.numbers_a_vertex(), format, path);
}

void write_metis_graph(const AffinityGraph& graph, const std::string& path) {
  check(graph, path);
  static const std::vector<std::uint32_t> kNone;
  const auto all_one = [](const std::vector<std::uint32_t>& weights) {
    return std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; });
  };
  const bool of_vertices = !all_one(graph.vertex_weights), of_edges = !all_one(graph.weights);
  write_rows(graph.begin, graph.neighbours,
             {of_vertices ? graph.vertex_weights : kNone, of_edges ? graph.weights : kNone},
             of_vertices ? 1 : 0,
             of_vertices || of_edges ? fmt::format(" 0{:d}{:d}", of_vertices, of_edges) : "", path);
}

void save_metis(const Graph& graph, const std::string& path) {
  const auto refuse = [&](const std::string& what, std::string_view way_out) {
    return Error::input(path, what, way_out);
  };
  if (graph.nodes() >= kNarrowBelow)
    throw refuse("a METIS graph has fewer than 2^32 - 1 vertices", "write a binary graph");
  if (graph.value_names().size() > 1)
    throw refuse("an edge of a METIS graph has one weight", "keep one value of edges, or none");
  MetisGraph metis;
  with_id_types(graph, [&]<class Node, class Edge>() {
    const auto begin = graph.ids<Edge>(Section::begin);
    const auto targets = graph.ids<Node>(Section::node_idx);
    metis.begin.assign(begin.begin(), begin.end());
    metis.neighbours.reserve(targets.size());
    for (const Node target : targets)
      metis.neighbours.push_back(static_cast<std::uint32_t>(target));
  });
  for (const std::string& name : graph.value_names())
    std::visit(
        [&](auto values) {
          for (const auto value : values) {
            const auto number = static_cast<double>(value);
            if (!(number >= 1 && number <= UINT32_MAX) || number != std::floor(number))
              throw refuse(
                  fmt::format("the value {} = {} is no weight of a METIS graph", name, value),
                  "weights are whole numbers from 1 to 2^32 - 1");
            metis.edge_weights.push_back(static_cast<std::uint32_t>(value));
          }
        },
        graph.values(name));
  for (std::size_t node = 0; node < metis.vertices(); ++node)
    for (std::uint64_t i = metis.begin[node]; i < metis.begin[node + 1]; ++i) {
      const std::uint32_t other = metis.neighbours[i];
      const auto row = metis.neighbours.begin();
      const auto first = row + static_cast<std::ptrdiff_t>(metis.begin[other]),
                 last = row + static_cast<std::ptrdiff_t>(metis.begin[other + 1]);
      const auto back = std::lower_bound(first, last, node);
      if (other == node || (i > metis.begin[node] && metis.neighbours[i - 1] == other))
        throw refuse(fmt::format("a METIS graph can't have node {}'s edge to {}{}", node, other,
                                 other == node ? "" : " twice"),
                     other == node ? "convert its text with --drop-self-loops"
                                   : "convert its text without --keep-duplicates");
      if (back == last || *back != node)
        throw refuse(fmt::format("the edge from {} to {} goes one way", node, other),
                     "a METIS graph has both: convert its text with --symmetrise");
      if (!metis.edge_weights.empty() &&
          metis.edge_weights[static_cast<std::size_t>(back - row)] != metis.edge_weights[i])
        throw refuse(fmt::format("the edges between {} and {} have two values", node, other),
                     "an edge of a METIS graph has one weight");
    }
  write_metis(metis, path);
}

}  // namespace Atoll::graph
