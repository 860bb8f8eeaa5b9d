// Computes a heavy-edge matching, and the graph of the matched pairs.
#include "plan/coarsen.hpp"

#include <algorithm>
#include <limits>

#include "plan/sharers.hpp"

namespace Atoll::detail {
namespace {

constexpr std::uint32_t kSingle = std::numeric_limits<std::uint32_t>::max();

/// Returns each vertex's partner, or the vertex itself.
std::vector<std::uint32_t> match(const AffinityGraph& graph, std::uint64_t heaviest) {
  std::vector<std::uint32_t> partners(graph.vertices(), kSingle);
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (partners[vertex] != kSingle) continue;
    std::uint32_t best = vertex;
    double most = 0;
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at) {
      const std::uint32_t other = graph.neighbours[at];
      if (partners[other] != kSingle) continue;
      if (std::uint64_t{graph.work_of(vertex)} + graph.work_of(other) > heaviest) continue;
      const double rating = static_cast<double>(graph.weights[at]) * graph.weights[at] /
                            std::max(graph.work_of(other), 1U);
      if (rating <= most) continue;
      best = other;
      most = rating;
    }
    partners[vertex] = best;
    partners[best] = vertex;
  }
  return partners;
}

}  // namespace

Coarse coarsen(const AffinityGraph& graph, std::uint64_t heaviest) {
  const auto partners = match(graph, heaviest);
  Coarse coarse;
  coarse.of.resize(graph.vertices());
  std::uint32_t count = 0;
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
    coarse.of[vertex] = partners[vertex] < vertex ? coarse.of[partners[vertex]] : count++;

  AffinityGraph& made = coarse.graph;
  made.vertex_weights.assign(count, 0);
  std::vector<std::uint32_t> weights(count);  // weight to the current vertex
  std::vector<std::uint32_t> neighbours;
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex) {
    if (partners[vertex] < vertex) continue;
    const std::uint32_t own = coarse.of[vertex];
    const auto add_row = [&](std::uint32_t member) {
      made.vertex_weights[own] = add_up(made.vertex_weights[own], graph.work_of(member));
      for (std::uint64_t at = graph.begin[member]; at < graph.begin[member + 1]; ++at) {
        const std::uint32_t other = coarse.of[graph.neighbours[at]];
        if (other == own) continue;
        if (weights[other] == 0) neighbours.push_back(other);
        weights[other] = add_up(weights[other], graph.weights[at]);
      }
    };
    add_row(vertex);
    if (partners[vertex] != vertex) add_row(partners[vertex]);
    std::ranges::sort(neighbours);
    for (const std::uint32_t other : neighbours) {
      made.neighbours.push_back(other);
      made.weights.push_back(weights[other]);
      weights[other] = 0;
    }
    neighbours.clear();
    made.begin.push_back(made.neighbours.size());
  }
  return coarse;
}

}  // namespace Atoll::detail
