// Constructs affinity graphs for tests.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Returns a graph with the map's edges, in both directions.
inline AffinityGraph graph_of(
    std::uint32_t vertices,
    const std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>& edges) {
  AffinityGraph graph;
  auto edge = edges.begin();
  for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
    for (; edge != edges.end() && edge->first.first == vertex; ++edge) {
      graph.neighbours.push_back(edge->first.second);
      graph.weights.push_back(edge->second);
    }
    graph.begin.push_back(graph.neighbours.size());
  }
  return graph;
}

/// Returns a random graph with at most `edges` edges, whose weights are 1 to 9.
inline AffinityGraph random_graph(std::mt19937& random, std::uint32_t vertices, std::size_t edges) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> all;
  for (std::size_t i = 0; i < edges; ++i) {
    const std::uint32_t one = static_cast<std::uint32_t>(random()) % vertices;
    const std::uint32_t other = static_cast<std::uint32_t>(random()) % vertices;
    const std::uint32_t weight = 1 + static_cast<std::uint32_t>(random()) % 9;
    if (one != other) all[{one, other}] = all[{other, one}] = weight;
  }
  return graph_of(vertices, all);
}

/// Returns a grid: each vertex is adjacent to its four neighbours.
inline AffinityGraph grid_graph(std::uint32_t width, std::uint32_t height) {
  AffinityGraph graph;
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t own = y * width + x;
      if (y > 0) graph.neighbours.push_back(own - width);
      if (x > 0) graph.neighbours.push_back(own - 1);
      if (x + 1 < width) graph.neighbours.push_back(own + 1);
      if (y + 1 < height) graph.neighbours.push_back(own + width);
      graph.begin.push_back(graph.neighbours.size());
    }
  graph.weights.assign(graph.neighbours.size(), 1);
  return graph;
}

}  // namespace Atoll
