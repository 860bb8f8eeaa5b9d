// Predicts how long a program's traffic takes, for any places of threads and pages. This is one
// figure, so mappings that differ in both compare. The terms are those of plan's cost model
// (docs/cost-model.md); docs/analyses.md says what is put in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/traffic_load.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Traffic between nodes' threads and nodes' memories.
class TrafficMatrix {
 public:
  explicit TrafficMatrix(std::size_t nodes) : nodes_(nodes), cells_(nodes * nodes) {}
  [[nodiscard]] std::size_t nodes() const { return nodes_; }
  [[nodiscard]] double at(std::size_t threads, std::size_t memory) const {
    return cells_[memory * nodes_ + threads];
  }
  void add(std::size_t threads, std::size_t memory, double amount) {
    cells_[memory * nodes_ + threads] += amount;
  }
  /// Adds a page's traffic, by node of the threads, all of it to one memory.
  void add(std::span<const std::uint64_t> counts, std::size_t memory) {
    for (std::size_t node = 0; node < nodes_; ++node)
      cells_[memory * nodes_ + node] += static_cast<double>(counts[node]);
  }
  /// Sums of traffic: of these threads; to this memory; to the busiest memory; in all; of threads
  /// with their own memory.
  [[nodiscard]] double of_threads(std::size_t node) const;
  [[nodiscard]] double of_memory(std::size_t memory) const;
  [[nodiscard]] double busiest() const;
  [[nodiscard]] double all() const;
  [[nodiscard]] double local() const;
  TrafficMatrix& operator+=(const TrafficMatrix& other);
  TrafficMatrix& operator-=(const TrafficMatrix& other);

 private:
  std::size_t nodes_;
  std::vector<double> cells_;
};

class PredictedTime {
 public:
  /// `nodes` are Places::nodes.
  PredictedTime(const Machine& machine, const std::vector<NodeId>& nodes);

  /// Returns seconds, as if nothing but this traffic took time. `busiest_part` is PagesByNode's.
  [[nodiscard]] double seconds(const TrafficMatrix& traffic,
                               std::span<const double> busiest_part) const;
  /// Returns in words what takes longest: "…, which …".
  [[nodiscard]] std::string bottleneck(const TrafficMatrix& traffic,
                                       std::span<const double> busiest_part) const;

 private:
  [[nodiscard]] detail::TrafficLoad load(const TrafficMatrix& traffic,
                                         std::span<const double> busiest_part) const;

  detail::MachineLinks links_;
  std::vector<std::size_t> places_, memories_;  ///< by node
  std::vector<double> of_a_core_;               ///< by node: 1 / its cores
  double line_bytes_;
};

}  // namespace Atoll::profile
