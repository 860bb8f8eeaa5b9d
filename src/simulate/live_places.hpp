// The processing units of a running program's threads that nothing binds. The system spreads as
// many threads as have lived at a time, and their number is known when the last one is created.
// Until then, threads are placed as for those that have been created, and move when more come.
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

  /// All processing units, each once. Places are positions in this list.
  [[nodiscard]] const ThreadPlaces& all() const { return all_; }
  /// The processing units that the program may use at its start: as many as --threads says.
  [[nodiscard]] const std::vector<int>& allowed() const { return allowed_; }
  /// Notes that a thread has this number among those that live at a time. Returns true if others
  /// have to move.
  bool note(std::uint32_t slot);
  /// The place of a thread by this number.
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
