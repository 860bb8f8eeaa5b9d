// Divides an affinity graph along a machine's tree of places: memories first, caches within them,
// then cores, with as little weight as can be found between the places of each level
// [affinity §3.1].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "atoll/plan/affinity_graph.hpp"

namespace Atoll {

/// Where the parts of a graph go. Each leaf is a part: a thread.
struct PartitionTree {
  PlaceKind kind = PlaceKind::machine;  ///< of this place; a thread is a `pu`
  std::vector<PartitionTree> children;  ///< none, or at least two
  std::uint32_t part = 0;               ///< a leaf's number; each below leaves() is there once

  [[nodiscard]] std::size_t leaves() const;
  friend bool operator==(const PartitionTree&, const PartitionTree&) = default;
};

/// The machine's places that have threads; those that hold no choice are left out. Part i is thread
/// i. Throws Error (input) if there is no thread, or one on a processing unit that the machine
/// hasn't got.
[[nodiscard]] PartitionTree partition_tree(const Machine& machine, const ThreadPlaces& threads);

/// A tree in which each place of level i has branches[i] children: 4:2:8 has 64 leaves. The kinds
/// are package, numa, core from the outside in, and all further ones pu.
[[nodiscard]] PartitionTree even_tree(std::span<const std::uint32_t> branches);

/// Who divides graphs. METIS is there if the library was built with it.
enum class Partitioner { automatic, metis, greedy };

/// How graphs are divided.
struct PartitionOptions {
  Partitioner partitioner = Partitioner::automatic;  ///< METIS if it is there
  std::uint32_t seed = 0;                            ///< another seed may find another partition
  /// How far a part's vertex weight may be off its share, where vertices' weights differ and none
  /// is too heavy for that.
  double imbalance = 0.01;
  /// Graphs with more edges than this are coarsened before METIS sees them; 0: what its 32-bit
  /// numbers allow.
  std::uint64_t metis_edges = 0;
};

/// Whether Partitioner::metis can be used.
[[nodiscard]] bool has_metis();

/// Returns a part for each vertex. Where vertices weigh the same (or nothing: those go where their
/// neighbours are), all parts get the same weight, or one vertex more; else each is within
/// `imbalance` of an equal share, if vertices are light enough. The same call gives the same parts.
/// Throws Error (input) for Partitioner::metis without METIS.
[[nodiscard]] std::vector<std::uint32_t> partition_graph(const AffinityGraph& graph,
                                                         const PartitionTree& tree,
                                                         const PartitionOptions& options = {});

/// How much weight lies between places of a kind (but in one place of the next larger kind).
struct WeightBetween {
  PlaceKind kind;
  std::uint64_t weight;
  friend bool operator==(const WeightBetween&, const WeightBetween&) = default;
};

/// The weight of the edges between the tree's places, each edge at the largest places that it
/// connects: from the outside in, every kind that the tree has.
[[nodiscard]] std::vector<WeightBetween> weight_between(const AffinityGraph& graph,
                                                        std::span<const std::uint32_t> parts,
                                                        const PartitionTree& tree);

}  // namespace Atoll
