// Decides which threads of a process an online migrator puts on one node, after kMAF, which maps
// threads and data by locality [hashsieve §VI.A.2]: page faults tell which threads share pages.
// Pure: samples in, nodes out. It acts only on communication that is structured and stays so: a
// grouping of threads has to keep more of it inside nodes than the present one, by samples that it
// wasn't made from.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "plan/affinity_matrix.hpp"

namespace Atoll::apply {

struct ThreadMapperOptions {
  /// Handovers of pages from one thread to another, for each thread, in an interval. With 16, a
  /// share in one interval has an error of 0.06 with four threads, and less with more.
  std::uint32_t handovers = 16;
  /// This share of the communication has to come inside nodes: three times the error. Unstructured
  /// communication gains nothing by any grouping.
  double gain = 0.2;
  /// It has to in this many intervals in a row before threads are mapped the first time, and in
  /// twice as many for each further time, so threads that keep changing their partners settle.
  std::uint32_t intervals = 3;
  /// After this many calls of decide(), an interval without enough handovers tells nothing: what is
  /// shared so rarely costs little.
  std::uint32_t patience = 20;
};

class ThreadMapper {
 public:
  /// `units` is how many processing units each node has; there is at least one node, and each has
  /// some. A node gets threads in proportion to them.
  explicit ThreadMapper(const std::map<int, std::size_t>& units,
                        const ThreadMapperOptions& options = {});

  /// A thread on `node` accessed the page.
  void sampled(std::int32_t tid, std::uint64_t page, int node);
  /// Call it twice a second. `threads` are those that may be mapped, ascending; pages of others
  /// don't count. Returns the node of each thread, in their order, if they are to be mapped now;
  /// else nothing.
  [[nodiscard]] std::vector<int> decide(const std::vector<std::int32_t>& threads);

 private:
  struct Use {
    std::int32_t tid = 0;
    int node = -1;
    std::uint32_t interval = 0;
  };
  struct Handover {
    std::int32_t from = 0, to = 0;
    bool inside = false;  ///< one node
  };
  void end_interval();
  void forget();
  [[nodiscard]] std::vector<std::uint32_t> grouped() const;
  [[nodiscard]] std::vector<int> nodes_of(const std::vector<std::uint32_t>& groups) const;

  std::vector<int> nodes_;
  std::vector<std::size_t> units_;  ///< of each of these nodes
  ThreadMapperOptions options_;
  std::unordered_map<std::uint64_t, Use> last_use_;                ///< by page
  std::vector<Handover> handovers_;                                ///< of this interval
  std::map<std::pair<std::int32_t, int>, std::uint32_t> seen_on_;  ///< thread, node: samples in it
  std::uint32_t interval_ = 0, waited_ = 0;

  std::vector<std::int32_t> threads_;         ///< those that the following is about
  detail::AffinityMatrix past_{0};            ///< handovers; earlier intervals count half each
  std::vector<std::uint32_t> candidate_;      ///< a grouping; empty: none
  std::uint32_t confirmed_ = 0, mapped_ = 0;  ///< intervals; times
};

}  // namespace Atoll::apply
