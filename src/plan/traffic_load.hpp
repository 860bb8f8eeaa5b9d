// Time that traffic between places and memories keeps a machine's resources busy: the terms of
// docs/cost-model.md that don't depend on arrays. The cost model adds traffic of access patterns,
// predictions of profiles add recorded traffic.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// Number of lines of one thread that are in flight at the same time.
inline constexpr double kRandomLinesInFlight = 8;
inline constexpr double kStreamLinesInFlight = 16;
/// Maximum number of links of a place to others. More neighbours share them.
inline constexpr double kMaxLinks = 4;
/// Exponent of the norm over the kinds of resources; infinity would be the maximum.
inline constexpr double kSharpness = 4;

/// A machine's figures by position: places among its initiators, memories among its memories.
struct MachineLinks {
  explicit MachineLinks(const Machine& machine);

  [[nodiscard]] std::size_t place_of(NodeId initiator) const;
  [[nodiscard]] std::size_t memory_index(NodeId memory) const;

  std::vector<NodeId> places, memories;
  std::vector<std::size_t> beside;  ///< by memory: the place with its controller
  /// By place, then memory; per byte, except the latency.
  std::vector<std::vector<double>> latency_seconds, read_seconds, write_seconds;
  std::vector<double> controller_read_seconds, controller_write_seconds;  ///< by memory; per byte
  std::vector<double> links;  ///< by place: number of links to its nearest neighbours
};

/// Busy time of each resource, in seconds.
class TrafficLoad {
 public:
  explicit TrafficLoad(const MachineLinks& of);

  /// Adds traffic: threads of a place read and write `read` and `written` bytes of a memory. One of
  /// them waits `waits` times for the memory's latency.
  void add(std::size_t place, std::size_t memory, double read, double written, double waits);
  /// Adds bytes that occupy only the memory's controller, and seconds for which lines that caches
  /// transfer to each other occupy its node.
  void add_queue(std::size_t memory, double read, double seconds) {
    controllers_[memory] += read * links_->controller_read_seconds[memory] + seconds;
  }
  /// Adds other work of each of the place's threads.
  void add_work(std::size_t place, double seconds) { threads_[place] += seconds; }
  /// Returns the time of the busiest resource of each kind, combined by a norm. A resource that is
  /// nearly as busy as another delays it.
  [[nodiscard]] double seconds() const;

  enum class Kind { threads, controller, port };
  /// Returns the busiest resource, by kind and position: threads or a port of a place, or a
  /// memory's controller.
  [[nodiscard]] std::pair<Kind, std::size_t> busiest() const;

 private:
  [[nodiscard]] double port_seconds(std::size_t place) const;

  const MachineLinks* links_;
  std::vector<double> threads_, controllers_, into_, out_of_;
};

}  // namespace Atoll::detail
