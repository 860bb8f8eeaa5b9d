// The multilevel scheme: heavy edges between small vertices are inside large vertices. So a split
// of a few large vertices is nearly right, and each finer level refines its borders.
#include "plan/split_graph.hpp"

#include <algorithm>
#include <numeric>

#include "plan/coarsen.hpp"

namespace Atoll::detail {
namespace {

constexpr std::size_t kSmaller = 16;             ///< factor by which a graph is coarsened
constexpr std::size_t kFewestVertices = 2048;    ///< minimum vertices of the coarse graph
constexpr std::size_t kFewVertices = 32768;      ///< its maximum, unless kForEachPart needs more
constexpr std::size_t kForEachPart = 256;        ///< its minimum vertices per part
constexpr std::uint32_t kStarts = 16;            ///< maximum number of starts
constexpr std::uint32_t kStartsVertices = 2000;  ///< maximum vertices, summed over all starts
constexpr double kWorthALevel = 0.85;            ///< maximum ratio of edges to the finer level's

std::uint32_t heaviest_of(const AffinityGraph& graph) {
  return graph.vertex_weights.empty() ? 1 : std::ranges::max(graph.vertex_weights);
}

/// Returns the shares for a level whose vertices are too heavy to meet them exactly.
Shares shares_for(const AffinityGraph& graph, const Shares& shares) {
  Shares level = shares;
  const double least = std::ranges::min(shares.weights);
  if (least > 0) level.imbalance = std::max(shares.imbalance, 2.0 * heaviest_of(graph) / least);
  return level;
}

class Split {
 public:
  Split(std::size_t vertices, const Shares& shares, const PartitionOptions& options)
      : shares_(shares),
        options_(options),
        most_edges_(options.metis_edges == 0 ? kMetisEdges : options.metis_edges),
        most_vertices_(std::max(std::clamp(vertices / kSmaller, kFewestVertices, kFewVertices),
                                kForEachPart * shares.weights.size())) {}

  Parts split(const AffinityGraph& graph, const Shares& shares) const {
    if (graph.vertices() > most_vertices_ || graph.edges() > most_edges_) {
      const Coarse coarse = coarsen(graph, heaviest());
      const auto edges = static_cast<double>(graph.edges());
      // If coarsening removes fewer edges, it saves no time, unless the graph is too large for
      // METIS. The comparison is strict: a graph without edges isn't coarsened, and would be split
      // without end.
      if (static_cast<double>(coarse.graph.edges()) < kWorthALevel * edges) {
        const Parts found = split(coarse.graph, shares_for(coarse.graph, shares_));
        Parts parts(graph.vertices());
        for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
          parts[vertex] = found[coarse.of[vertex]];
        finish(graph, shares, parts);
        return parts;
      }
    }
    return first(graph, shares);
  }

 private:
  /// Returns the maximum weight of a coarse vertex, so that parts can be balanced.
  [[nodiscard]] std::uint64_t heaviest() const {
    const double total = std::accumulate(shares_.weights.begin(), shares_.weights.end(), 0.0);
    return static_cast<std::uint64_t>(total / static_cast<double>(most_vertices_) * 4) + 2;
  }

  [[nodiscard]] Parts first(const AffinityGraph& graph, const Shares& shares) const {
    Parts best;
    const auto consider = [&](Parts parts) {
      if (parts.empty()) return;
      finish(graph, shares, parts);
      if (best.empty() || cut_of(graph, parts) < cut_of(graph, best)) best = std::move(parts);
    };
    // A large graph gets to this point if its vertices share with all others alike. For such a
    // graph METIS finds no better cut than the refinement, but takes longer.
    const bool small = graph.vertices() <= most_vertices_;
    const Partitioner by = options_.partitioner;
    if (graph.edges() <= most_edges_ &&
        (by == Partitioner::metis || (by == Partitioner::automatic && small)))
      consider(metis_parts(graph, shares, options_.seed));
    if (best.empty() || by == Partitioner::automatic) {
      // Small graphs are split from several starts.
      const auto vertices = static_cast<std::uint32_t>(graph.vertices());
      const std::uint32_t starts = std::clamp(kStartsVertices / std::max(vertices, 1U), 1U,
                                              std::min(kStarts, std::max(vertices, 1U)));
      for (std::uint32_t i = 0; i < starts; ++i) {
        const std::uint32_t start = options_.seed + i * (vertices / starts);
        if (small) consider(grow_parts(graph, shares, start));
        consider(strip_parts(graph, shares, start));
      }
    }
    return best;
  }

  static void finish(const AffinityGraph& graph, const Shares& shares, Parts& parts) {
    balance_parts(graph, shares, parts);
    refine_parts(graph, shares, parts);
  }

  const Shares& shares_;
  const PartitionOptions& options_;
  std::uint64_t most_edges_;
  std::size_t most_vertices_;
};

}  // namespace

Parts split_graph(const AffinityGraph& graph, const Shares& shares,
                  const PartitionOptions& options) {
  return Split(graph.vertices(), shares, options).split(graph, shares);
}

}  // namespace Atoll::detail
