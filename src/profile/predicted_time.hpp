// How long a program's traffic takes, for any places of threads and pages: one figure, so that
// mappings that differ in both compare. The terms are those of plan's cost model
// (docs/cost-model.md); docs/analyses.md says what is put in.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/traffic_load.hpp"
#include "profile/pages_by_node.hpp"

namespace Atoll::profile {

/// Between nodes' threads and nodes' memories.
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
  /// A page's traffic by node of the threads, all to one memory.
  void add(std::span<const std::uint64_t> counts, std::size_t memory) {
    for (std::size_t node = 0; node < nodes_; ++node)
      cells_[memory * nodes_ + node] += static_cast<double>(counts[node]);
  }
  /// All that these threads have; all that this memory serves; the most that one serves; the sum;
  /// what is local.
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

  /// Seconds, if nothing but this traffic took time. `busiest_part` as PagesByNode has it.
  [[nodiscard]] double seconds(const TrafficMatrix& traffic,
                               std::span<const double> busiest_part) const;
  /// What takes longest, in words: "…, which …".
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
