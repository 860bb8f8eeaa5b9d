// Decides which threads of a process an online migrator groups on a node, after kMAF, which maps
// threads and data by locality [hashsieve §VI.A.2]. Page faults show which threads share pages.
// Pure: the input is samples, the output is nodes. It acts only on structured, persistent
// communication: a grouping must keep more communication inside nodes than the current one,
// measured by samples that it wasn't made from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "plan/affinity_matrix.hpp"

namespace Atoll::apply {

struct ThreadMapperOptions {
  /// Minimum number of handovers (of a page from one thread to another) in an interval, per thread.
  /// With 16, a share of one interval has an error of 0.06 for four threads, and less for more.
  std::uint32_t handovers = 16;
  /// Minimum increase of the share of communication inside nodes: three times the error. No
  /// grouping gains that much for unstructured communication.
  double gain = 0.2;
  /// Number of consecutive intervals with this gain before threads are mapped the first time. It
  /// doubles for each further time, so that threads that keep changing their partners stop moving.
  std::uint32_t intervals = 3;
  /// Number of decide() calls after which an interval without enough handovers is discarded,
  /// because such rare sharing costs little.
  std::uint32_t patience = 20;
};

class ThreadMapper {
 public:
  /// `units` is the number of processing units of each node: at least one node, each with at least
  /// one unit. A node gets threads in proportion to its units.
  explicit ThreadMapper(const std::map<int, std::size_t>& units,
                        const ThreadMapperOptions& options = {});

  /// Adds a sample: a thread on `node` accessed the page.
  void sampled(std::int32_t tid, std::uint64_t page, int node);
  /// Call it twice a second. `threads` are the threads that may be mapped, ascending; samples of
  /// others are ignored. Returns each thread's node, in the order of `threads`, if they should be
  /// mapped now; else an empty vector.
  [[nodiscard]] std::vector<int> decide(const std::vector<std::int32_t>& threads);

 private:
  struct Use {
    std::int32_t tid = 0;
    int node = -1;
    std::uint32_t interval = 0;
  };
  struct Handover {
    std::int32_t from = 0, to = 0;
    bool inside = false;  ///< both uses were on one node
  };
  void end_interval();
  void forget();
  [[nodiscard]] std::vector<std::uint32_t> grouped() const;
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<std::uint32_t>& groups) const;

  std::vector<int> nodes_;
  std::vector<std::size_t> units_;  ///< by position in nodes_
  ThreadMapperOptions options_;
  std::unordered_map<std::uint64_t, Use> last_use_;                ///< by page
  std::vector<Handover> handovers_;                                ///< of this interval
  std::map<std::pair<std::int32_t, int>, std::uint32_t> seen_on_;  ///< samples of (thread, node)
  std::uint32_t interval_ = 0, waited_ = 0;

  std::vector<std::int32_t> threads_;         ///< the threads that the members below refer to
  detail::AffinityMatrix past_{0};            ///< handovers; weights halve with each interval
  std::vector<std::uint32_t> candidate_;      ///< a grouping; empty if there is none
  std::uint32_t confirmed_ = 0, mapped_ = 0;  ///< confirming intervals; mappings
};

}  // namespace Atoll::apply
