// One level of a partition: splits a graph into parts of given weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/partition_graph.hpp"

namespace Atoll::detail {

using Parts = std::vector<std::uint32_t>;

/// Target weights of the parts of a split.
struct Shares {
  std::vector<double> weights;  ///< of each part; their sum is the weight of all vertices
  /// Maximum deviation of a part, as a fraction of its share. 0 if each vertex weighs `unit` or 0:
  /// the shares are then multiples of `unit`, and are met exactly.
  double imbalance = 0;
  std::uint32_t unit = 1;
};

/// Grows one part after another, beginning with a vertex at the graph's rim. The next vertex is
/// always the one with the most edge weight to the part, less that to vertices without a part. A
/// part exceeds its share only by its last vertex.
[[nodiscard]] Parts grow_parts(const AffinityGraph& graph, const Shares& shares,
                               std::uint32_t seed);

/// Gives each part its share of the vertices, in the order of a breadth-first search from the
/// graph's rim.
[[nodiscard]] Parts strip_parts(const AffinityGraph& graph, const Shares& shares,
                                std::uint32_t seed);

/// Maximum number of edges for METIS: an edge has two entries, and sums of weights need room, too.
inline constexpr std::uint64_t kMetisEdges = (std::uint64_t{1} << 29) - 1;

/// Splits by METIS, which meets the shares to about a thousandth. Weights are scaled to 32 bits.
/// Returns an empty list if METIS can't be used: it isn't in this build, a part has no share, or
/// there are no edges, too many edges, or too few vertices.
[[nodiscard]] Parts metis_parts(const AffinityGraph& graph, const Shares& shares,
                                std::uint32_t seed);

/// Moves vertices, those with the least cost first, until each part is within its permitted
/// deviation, or until no vertex is light enough to reduce the deviation.
void balance_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts);

/// Exchanges vertices between each two parts while that reduces the edge weight between them, even
/// if some exchanges increase it at first. Parts stay as close to their shares as they are.
void refine_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts);

/// Splits a graph: coarsens it, splits the coarse graph by METIS and by growing, then projects the
/// split back level by level and refines it.
[[nodiscard]] Parts split_graph(const AffinityGraph& graph, const Shares& shares,
                                const PartitionOptions& options);

/// Returns the subgraph of `vertices`: all vertices of one part by parts[], ascending. `numbers` is
/// scratch space with an entry for each vertex of the graph.
[[nodiscard]] AffinityGraph part_of(const AffinityGraph& graph,
                                    const std::vector<std::uint32_t>& vertices, const Parts& parts,
                                    std::vector<std::uint32_t>& numbers);

/// Returns all vertices in breadth-first order, beginning with a vertex at the rim: the last vertex
/// of a search from `start`.
[[nodiscard]] std::vector<std::uint32_t> order_from_peripheral_vertex(const AffinityGraph& graph,
                                                                      std::uint32_t start);

/// Returns the weight of the edges between parts.
[[nodiscard]] std::uint64_t cut_of(const AffinityGraph& graph,
                                   std::span<const std::uint32_t> parts);

}  // namespace Atoll::detail
