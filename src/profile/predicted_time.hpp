// Predicts the time of a program's traffic, for any places of threads and pages. The time is one
// number, so it compares mappings that differ in both. The terms are those of plan's cost model
// (docs/cost-model.md); docs/analyses.md has their inputs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/traffic_load.hpp"
#include "profile/memory_traffic.hpp"

namespace Atoll::profile {

/// Traffic between the threads of each node and the memory of each node.
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
  /// Adds a page's traffic (by node of the threads), all of it to one memory.
  void add(std::span<const std::uint64_t> counts, std::size_t memory) {
    for (std::size_t node = 0; node < nodes_; ++node)
      cells_[memory * nodes_ + node] += static_cast<double>(counts[node]);
  }
  /// Sums of traffic, in this order: of the threads of one node; to one memory; to the busiest
  /// memory; of all; of all threads with their own memory.
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

/// Traffic that reaches memory, by phase of the run, with additional seconds that the placement
/// costs.
class PhasedTraffic {
 public:
  PhasedTraffic() = default;
  explicit PhasedTraffic(const MemoryTraffic& of)
      : nodes_(of.nodes), cells_(of.phases * of.nodes * (of.nodes * kFigures + 1)) {}
  /// Adds a row's traffic, multiplied by `share`, with all of it to one memory.
  void add(std::span<const MemoryTraffic::Entry> entries, std::size_t memory, double share = 1) {
    for (const MemoryTraffic::Entry& entry : entries) {
      double* const cell = &cells_[at(entry.phase, entry.node, memory)];
      cell[0] += share * entry.lines;
      cell[1] += share * entry.written;
      cell[2] += share * entry.waits;
      cell[3] += share * entry.random;
      cell[4] += share * entry.moved;
    }
  }
  /// Adds seconds, summed over all threads of a node.
  void add_seconds(std::size_t phase, std::size_t node, double seconds) {
    cells_[at(phase, node, nodes_)] += seconds;
  }
  [[nodiscard]] double lines(std::size_t phase, std::size_t node, std::size_t memory) const {
    return cells_[at(phase, node, memory)];
  }
  [[nodiscard]] double written(std::size_t phase, std::size_t node, std::size_t memory) const {
    return cells_[at(phase, node, memory) + 1];
  }
  [[nodiscard]] double waits(std::size_t phase, std::size_t node, std::size_t memory) const {
    return cells_[at(phase, node, memory) + 2];
  }
  [[nodiscard]] double random(std::size_t phase, std::size_t node, std::size_t memory) const {
    return cells_[at(phase, node, memory) + 3];
  }
  [[nodiscard]] double moved(std::size_t phase, std::size_t node, std::size_t memory) const {
    return cells_[at(phase, node, memory) + 4];
  }
  [[nodiscard]] double seconds(std::size_t phase, std::size_t node) const {
    return cells_[at(phase, node, nodes_)];
  }
  /// Adds phase `of_other` of `other` to a phase.
  void add_phase(std::size_t phase, const PhasedTraffic& other, std::size_t of_other) {
    const std::size_t size = nodes_ * (nodes_ * kFigures + 1);
    for (std::size_t i = 0; i < size; ++i)
      cells_[phase * size + i] += other.cells_[of_other * size + i];
  }
  PhasedTraffic& operator+=(const PhasedTraffic& other);
  PhasedTraffic& operator-=(const PhasedTraffic& other);

 private:
  static constexpr std::size_t kFigures = 5;
  [[nodiscard]] std::size_t at(std::size_t phase, std::size_t node, std::size_t memory) const {
    return (phase * nodes_ + node) * (nodes_ * kFigures + 1) + memory * kFigures;
  }

  std::size_t nodes_ = 0;
  std::vector<double> cells_;
};

/// Factors to multiply the model's figures by; 1 keeps them.
struct TimeScales {
  double waits = 1, bandwidth = 1, work = 1;
};

class PredictedTime {
 public:
  /// `nodes` are Places::nodes.
  PredictedTime(const Machine& machine, const std::vector<NodeId>& nodes);

  /// Returns seconds. `of` is the MemoryTraffic that `traffic` was computed from.
  [[nodiscard]] double seconds(const PhasedTraffic& traffic, const MemoryTraffic& of,
                               const TimeScales& scales = {}) const;
  /// Returns seconds by phase.
  [[nodiscard]] std::vector<double> by_phase(const PhasedTraffic& traffic, const MemoryTraffic& of,
                                             const TimeScales& scales = {}) const;
  /// Returns in words the resource that limits the longest phase: "…, which …".
  [[nodiscard]] std::string bottleneck(const PhasedTraffic& traffic, const MemoryTraffic& of) const;

 private:
  [[nodiscard]] detail::TrafficLoad load(const PhasedTraffic& traffic, const MemoryTraffic& of,
                                         std::size_t phase, const TimeScales& scales) const;

  detail::MachineLinks links_;
  std::vector<std::size_t> places_, memories_;  ///< by node
  std::vector<double> of_a_core_;               ///< by node: 1 / its cores
  double line_bytes_;
  double closed_row_;  ///< extra time of a line in a closed row, relative to an open row
  double home_busy_;   ///< seconds of a line that one cache supplies to another
};

}  // namespace Atoll::profile
