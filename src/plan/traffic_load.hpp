// How long traffic between places and memories keeps a machine busy: the terms of
// docs/cost-model.md that don't depend on arrays. The cost model fills them from patterns,
// predictions of profiles from what was recorded.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// Lines that one thread has under way at the same time.
inline constexpr double kRandomLinesInFlight = 8;
inline constexpr double kStreamLinesInFlight = 16;
/// The most links that a place has to others. More neighbours share them.
inline constexpr double kMaxLinks = 4;
/// How sharply the busiest kind of resource decides: the exponent of a norm; infinite is the
/// maximum.
inline constexpr double kSharpness = 4;

/// A machine's figures by position: places among its initiators, memories among its memories.
struct MachineLinks {
  explicit MachineLinks(const Machine& machine);

  [[nodiscard]] std::size_t place_of(NodeId initiator) const;
  [[nodiscard]] std::size_t memory_index(NodeId memory) const;

  std::vector<NodeId> places, memories;
  std::vector<std::size_t> beside;  ///< by memory: the place whose controller it is
  /// Times by place, then memory; per byte.
  std::vector<std::vector<double>> latency_seconds, read_seconds, write_seconds;
  std::vector<double> controller_read_seconds, controller_write_seconds;  ///< by memory; per byte
  std::vector<double> links;  ///< by place: its links to its nearest neighbours, one each
};

/// The seconds that each resource is busy.
class TrafficLoad {
 public:
  explicit TrafficLoad(const MachineLinks& of);

  /// Adds traffic: threads of a place read and write so many bytes of a memory, and one of them
  /// waits for it so often.
  void add(std::size_t place, std::size_t memory, double read, double written, double waits);
  /// Adds bytes that only the memory's controller is busy with, and seconds that its node is busy
  /// with lines that caches pass to each other.
  void add_queue(std::size_t memory, double read, double seconds) {
    controllers_[memory] += read * links_->controller_read_seconds[memory] + seconds;
  }
  /// Adds other work that keeps each of the place's threads busy.
  void add_work(std::size_t place, double seconds) { threads_[place] += seconds; }
  /// The time of the busiest of each kind. A resource that is nearly as busy as another delays it.
  [[nodiscard]] double seconds() const;

  enum class Kind { threads, controller, port };
  /// The resource that is busy longest: threads or a port of a place, or a memory's controller; by
  /// position.
  [[nodiscard]] std::pair<Kind, std::size_t> busiest() const;

 private:
  [[nodiscard]] double port_seconds(std::size_t place) const;

  const MachineLinks* links_;
  std::vector<double> threads_, controllers_, into_, out_of_;
};

}  // namespace Atoll::detail
