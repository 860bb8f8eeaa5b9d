// Partitions recursively along the place tree: each place's vertices are split among its children.
// Edges between the children aren't considered further down.
#include "atoll/plan/partition_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "atoll/base/error.hpp"
#include "plan/split_graph.hpp"

namespace Atoll {
namespace {

using detail::Parts;
using detail::Shares;

/// Returns the common weight of all vertices with a weight above 0; returns 0 if weights differ.
std::uint32_t unit_of(const AffinityGraph& graph) {
  std::uint32_t unit = 0;
  for (const std::uint32_t weight : graph.vertex_weights) {
    if (weight == 0) continue;
    if (unit != 0 && weight != unit) return 0;
    unit = weight;
  }
  return std::max(unit, 1U);
}

int depth_of(const PartitionTree& tree) {
  int depth = 0;
  for (const PartitionTree& child : tree.children) depth = std::max(depth, 1 + depth_of(child));
  return depth;
}

class Division {
 public:
  Division(const PartitionTree& tree, const PartitionOptions& options, std::uint32_t unit)
      : options_(options), unit_(unit) {
    // Each level adds its own imbalance.
    if (unit == 0) imbalance_ = 0.99 * options.imbalance / std::max(1, depth_of(tree));
  }

  /// Returns a part for each vertex of the graph.
  Parts divide(const AffinityGraph& graph, const PartitionTree& tree) {
    if (tree.children.empty()) return Parts(graph.vertices(), tree.part);
    const Parts children = detail::split_graph(graph, shares_of(graph, tree), options_);
    Parts parts(graph.vertices());
    std::vector<std::vector<std::uint32_t>> members(tree.children.size());
    for (std::uint32_t vertex = 0; vertex < children.size(); ++vertex)
      members[children[vertex]].push_back(vertex);
    std::vector<std::uint32_t> numbers(graph.vertices());
    for (std::size_t child = 0; child < members.size(); ++child) {
      const PartitionTree& below = tree.children[child];
      if (below.children.empty()) {
        for (const std::uint32_t vertex : members[child]) parts[vertex] = below.part;
        continue;
      }
      const Parts found = divide(detail::part_of(graph, members[child], children, numbers), below);
      for (std::size_t i = 0; i < found.size(); ++i) parts[members[child][i]] = found[i];
      members[child] = {};
    }
    return parts;
  }

 private:
  [[nodiscard]] Shares shares_of(const AffinityGraph& graph, const PartitionTree& tree) const {
    std::uint64_t total = graph.vertex_weights.empty() ? graph.vertices() : 0;
    for (const std::uint32_t weight : graph.vertex_weights) total += weight;
    const std::uint64_t leaves = tree.leaves();
    Shares shares{{}, imbalance_, std::max(unit_, 1U)};
    const auto whole = [&](std::uint64_t leaf) { return total / unit_ * leaf / leaves * unit_; };
    std::uint64_t before = 0;
    for (const PartitionTree& child : tree.children) {
      const std::uint64_t after = before + child.leaves();
      if (unit_ == 0)
        shares.weights.push_back(static_cast<double>(total) / static_cast<double>(leaves) *
                                 static_cast<double>(after - before));
      else  // whole vertices, so that all leaves have the same number or one more
        shares.weights.push_back(static_cast<double>(whole(after) - whole(before)));
      before = after;
    }
    return shares;
  }

  const PartitionOptions& options_;
  std::uint32_t unit_;
  double imbalance_ = 0;
};

}  // namespace

std::vector<std::uint32_t> partition_graph(const AffinityGraph& graph, const PartitionTree& tree,
                                           const PartitionOptions& options) {
  if (options.partitioner == Partitioner::metis && !has_metis())
    throw Error::input("METIS", "is not in this build", "use the greedy partitioner");
  if (!(options.imbalance >= 0))
    throw Error::input("imbalance", "is below 0", "give a part of a share, 0.01 for one percent");
  return Division(tree, options, unit_of(graph)).divide(graph, tree);
}

}  // namespace Atoll
