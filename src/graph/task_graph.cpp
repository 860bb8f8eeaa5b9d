// Joins a graph's rows of both directions.
#include "atoll/graph/task_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <variant>

#include "graph/file_format.hpp"
#include "graph/input_file.hpp"
#include "graph/load_file.hpp"
#include "graph/metis_text.hpp"

namespace Atoll::graph {
namespace {

constexpr double kMaxWeight = 4294967295.0;

std::vector<std::uint32_t> weights_of(const Graph& graph, const std::string& where) {
  std::vector<std::uint32_t> weights(graph.edges(), 1);
  if (std::ranges::find(graph.value_names(), kShareWeight) == graph.value_names().end())
    return weights;
  std::visit(
      [&](const auto& values) {
        for (std::size_t edge = 0; edge < values.size(); ++edge) {
          const auto value = static_cast<double>(values[edge]);
          if (!(value >= 1 && value <= kMaxWeight) || value != std::floor(value))
            throw Error::input(where, fmt::format("edge {} has the weight {}", edge, values[edge]),
                               "weights are whole numbers from 1 to 4294967295");
          weights[edge] = static_cast<std::uint32_t>(values[edge]);
        }
      },
      graph.values(kShareWeight));
  return weights;
}

}  // namespace

AffinityGraph task_graph_of(const Graph& graph, const std::string& where) {
  if (graph.nodes() >= UINT32_MAX)
    throw Error::input(where, "more than 2^32 - 2 nodes can't be scheduled", "use a smaller graph");
  const std::vector<std::uint32_t> weights = weights_of(graph, where);
  const std::size_t nodes = graph.nodes();
  std::vector<std::uint64_t> begin(nodes + 1);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends;  // (neighbour, weight), by vertex
  with_id_types(graph, [&]<class Node, class Edge>() {
    const auto first = graph.ids<Edge>(Section::begin);
    const auto targets = graph.ids<Node>(Section::node_idx);
    const auto for_each_end = [&](auto&& take) {
      for (std::size_t node = 0; node < nodes; ++node)
        for (std::size_t edge = first[node]; edge < first[node + 1]; ++edge)
          if (const auto target = static_cast<std::size_t>(targets[edge]); target != node) {
            take(node, target, edge);
            take(target, node, edge);
          }
    };
    for_each_end([&](std::size_t from, std::size_t, std::size_t) { ++begin[from + 1]; });
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    ends.resize(begin.back());
    std::vector<std::uint64_t> at(begin.begin(), begin.end() - 1);
    for_each_end([&](std::size_t from, std::size_t to, std::size_t edge) {
      ends[at[from]++] = {static_cast<std::uint32_t>(to), weights[edge]};
    });
  });
  AffinityGraph result;
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto row =
        std::ranges::subrange(ends.begin() + static_cast<std::ptrdiff_t>(begin[node]),
                              ends.begin() + static_cast<std::ptrdiff_t>(begin[node + 1]));
    std::ranges::sort(row);
    for (const auto& [neighbour, weight] : row)
      if (result.neighbours.size() > result.begin.back() && result.neighbours.back() == neighbour) {
        result.weights.back() = weight;  // weights ascend, so the largest is last
      } else {
        result.neighbours.push_back(neighbour);
        result.weights.push_back(weight);
      }
    result.begin.push_back(result.neighbours.size());
  }
  return result;
}

AffinityGraph read_task_graph(const std::string& path) {
  const Team team({{}}, Team::Runtime::std_threads, false);
  InputFile file(path);
  if (is_graph_file(file.peek(8))) return task_graph_of(load_file(file, team), path);
  return read_metis_tasks(file, path, team);
}

}  // namespace Atoll::graph
