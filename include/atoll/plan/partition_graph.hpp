// Partitions an affinity graph along a machine's place tree: by memories, then by caches within
// them, then by cores. The search minimises the edge weight between the places of each level
// [affinity §3.1].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Tree of places for the parts of a graph. Each leaf is a part: a thread.
struct PartitionTree {
  PlaceKind kind = PlaceKind::machine;  ///< of this place; a thread is a `pu`
  std::vector<PartitionTree> children;  ///< none, or at least two
  std::uint32_t part = 0;               ///< a leaf's number; each number below leaves() occurs once

  [[nodiscard]] std::size_t leaves() const;
  friend bool operator==(const PartitionTree&, const PartitionTree&) = default;
};

/// Returns the machine's places that have threads, without those that have only one child. Part i
/// is thread i. Throws Error (input) if there is no thread, or one on a processing unit that the
/// machine doesn't have.
[[nodiscard]] PartitionTree partition_tree(const Machine& machine, const ThreadPlaces& threads);

/// Returns a tree in which each place of level i has branches[i] children: 4:2:8 has 64 leaves. The
/// kinds are package, numa, core from the root down, and pu for all further levels.
[[nodiscard]] PartitionTree even_tree(std::span<const std::uint32_t> branches);

/// Algorithm that partitions graphs. METIS is available if the library was built with it.
enum class Partitioner { automatic, metis, greedy };

/// Options of partition_graph().
struct PartitionOptions {
  Partitioner partitioner = Partitioner::automatic;  ///< the better of METIS and greedy
  std::uint32_t seed = 0;                            ///< another seed may find another partition
  /// Maximum deviation of a part's vertex weight, as a fraction of its share, if vertices' weights
  /// differ and no vertex is too heavy for that.
  double imbalance = 0.01;
  /// Graphs with more edges than this are coarsened before METIS partitions them; 0: the limit of
  /// its 32-bit numbers.
  std::uint64_t metis_edges = 0;
};

/// True if Partitioner::metis can be used.
[[nodiscard]] bool has_metis();

/// Returns a part for each vertex. If all vertices have the same weight or 0, all parts get the
/// same weight, or one vertex more; vertices of weight 0 join their neighbours. Otherwise each part
/// is within `imbalance` of an equal share, if vertices are light enough. Deterministic. Throws
/// Error (input) for Partitioner::metis without METIS.
[[nodiscard]] std::vector<std::uint32_t> partition_graph(const AffinityGraph& graph,
                                                         const PartitionTree& tree,
                                                         const PartitionOptions& options = {});

/// Edge weight between places of a kind, inside the same place of the next larger kind.
struct WeightBetween {
  PlaceKind kind;
  std::uint64_t weight;
  friend bool operator==(const WeightBetween&, const WeightBetween&) = default;
};

/// Returns the weight of the edges between the tree's places, for every kind in the tree, from the
/// root down. Each edge counts for the largest places that it connects.
[[nodiscard]] std::vector<WeightBetween> weight_between(const AffinityGraph& graph,
                                                        std::span<const std::uint32_t> parts,
                                                        const PartitionTree& tree);

}  // namespace Atoll
