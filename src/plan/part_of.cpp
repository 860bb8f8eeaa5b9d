// Extracts the subgraph of one part.
#include "plan/split_graph.hpp"

namespace Atoll::detail {

AffinityGraph part_of(const AffinityGraph& graph, const std::vector<std::uint32_t>& vertices,
                      const Parts& parts, std::vector<std::uint32_t>& numbers) {
  AffinityGraph part;
  if (vertices.empty()) return part;
  std::size_t entries = 0;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) numbers[vertices[i]] = i;
  const std::uint32_t own = parts[vertices.front()];
  const auto for_each_edge = [&](std::uint32_t vertex, const auto& use) {
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at)
      if (parts[graph.neighbours[at]] == own) use(at);
  };
  for (const std::uint32_t vertex : vertices)
    for_each_edge(vertex, [&](std::uint64_t) { ++entries; });
  part.begin.reserve(vertices.size() + 1);
  part.neighbours.reserve(entries);
  part.weights.reserve(entries);
  for (const std::uint32_t vertex : vertices) {
    for_each_edge(vertex, [&](std::uint64_t at) {
      part.neighbours.push_back(numbers[graph.neighbours[at]]);
      part.weights.push_back(graph.weights[at]);
    });
    part.begin.push_back(part.neighbours.size());
    if (!graph.vertex_weights.empty()) part.vertex_weights.push_back(graph.vertex_weights[vertex]);
  }
  return part;
}

}  // namespace Atoll::detail
