// One level of a partition: a graph is split into parts of given weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"
#include "atoll/plan/partition_graph.hpp"

namespace Atoll::detail {

using Parts = std::vector<std::uint32_t>;

/// What the parts of a split have to weigh.
struct Shares {
  std::vector<double> weights;  ///< of each part; together all vertices'
  /// How far a part may be off, as a part of its share. 0 if each vertex weighs `unit` or nothing:
  /// then the shares are multiples of it, and are kept exactly.
  double imbalance = 0;
  std::uint32_t unit = 1;
};

/// Grows one part after the other from a vertex at the graph's rim: always the vertex that has most
/// to do with the part, less what it has to do with those that no part has yet. No part gets more
/// than its share, but for its last vertex.
[[nodiscard]] Parts grow_parts(const AffinityGraph& graph, const Shares& shares,
                               std::uint32_t seed);

/// Gives each part its share of the vertices in the order of a search from the graph's rim, breadth
/// first.
[[nodiscard]] Parts strip_parts(const AffinityGraph& graph, const Shares& shares,
                                std::uint32_t seed);

/// The most edges that METIS takes: an edge is two entries, and weights' sums need room beside
/// them.
inline constexpr std::uint64_t kMetisEdges = (std::uint64_t{1} << 29) - 1;

/// Splits by METIS, which keeps the shares to about a thousandth. Weights are scaled to 32 bits.
/// Returns nothing if METIS can't: it isn't there, a part gets nothing, or there are no edges, too
/// many, or too few vertices.
[[nodiscard]] Parts metis_parts(const AffinityGraph& graph, const Shares& shares,
                                std::uint32_t seed);

/// Moves vertices, those that cost least first, until each part is as near to its share as allowed,
/// or no vertex is light enough to come nearer.
void balance_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts);

/// Exchanges vertices between each two parts as long as that saves weight between them, also over
/// some exchanges that cost at first. Parts stay as near to their shares as they are.
void polish_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts);

/// Splits a graph: makes it smaller, splits what remains by METIS and by growing, and goes back to
/// the graph, polishing on the way.
[[nodiscard]] Parts split_graph(const AffinityGraph& graph, const Shares& shares,
                                const PartitionOptions& options);

/// The graph of one part's vertices, which ascend: all that parts[] says are in it. `numbers` has
/// room for a number of each vertex.
[[nodiscard]] AffinityGraph part_of(const AffinityGraph& graph,
                                    const std::vector<std::uint32_t>& vertices, const Parts& parts,
                                    std::vector<std::uint32_t>& numbers);

/// All vertices breadth first, beginning with the one that a search from `start` meets last: it is
/// at the rim.
[[nodiscard]] std::vector<std::uint32_t> from_the_rim(const AffinityGraph& graph,
                                                      std::uint32_t start);

/// The weight between parts.
[[nodiscard]] std::uint64_t cut_of(const AffinityGraph& graph,
                                   std::span<const std::uint32_t> parts);

}  // namespace Atoll::detail
