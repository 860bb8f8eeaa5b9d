// Processing units of a live program's unbound threads. The system spreads as many threads as live
// at a time, but that number is known only when the last one is created. Until then, threads are
// placed as for the number created so far, and move when another one is created.
#pragma once

#include <cstdint>
#include <vector>

#include "atoll/machine/thread_places.hpp"
#include "atoll/simulate/simulate.hpp"

namespace Atoll::simulate {

class LivePlaces {
 public:
  /// Throws Error (input) if `options.threads` is more than the machine has processing units.
  LivePlaces(const Machine& machine, const Options& options);

  /// All processing units, each once. A place is an index into this list.
  [[nodiscard]] const ThreadPlaces& all() const { return all_; }
  /// Processing units of the program's initial affinity: as many as --threads.
  [[nodiscard]] const std::vector<int>& allowed() const { return allowed_; }
  /// Records that a thread has the number `slot` among those that live at a time. Returns true if
  /// other threads have to move.
  bool note(std::uint32_t slot);
  /// Place of the thread with that number.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t slot) const {
    return wanted_[slot % wanted_.size()];
  }

 private:
  void spread(std::size_t count);

  const Machine& machine_;
  bool compact_;
  ThreadPlaces all_;
  std::vector<int> allowed_;
  std::vector<std::uint32_t> wanted_;  ///< by slot
};

}  // namespace Atoll::simulate
