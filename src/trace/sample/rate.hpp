// How many pages a second may be withdrawn so that watching costs no more than its share of the
// program's own time. Pure: measurements in, a rate out.
#pragma once

#include <cstdint>

namespace Atoll::trace::sample {

struct RateOptions {
  double share = 0.04;  ///< of the program's processor time: below the 5 % that are promised
  double least = 100, most = 200'000;  ///< pages a second
  double first = 2000;
};

/// What happened since the last measurement.
struct RateMeasurement {
  double seconds = 0;           ///< that passed
  double program_seconds = 0;   ///< processor time of all watched processes, watching included
  double watching_seconds = 0;  ///< of it and of `atoll`: faults, withdrawing, reading
};

class Rate {
 public:
  explicit Rate(const RateOptions& options = {}) : options_(options), rate_(options.first) {}

  [[nodiscard]] double pages_per_second() const { return rate_; }
  /// The share that watching has taken lately; what measurements too short to tell leave alone.
  [[nodiscard]] double share() const { return share_; }
  void measured(const RateMeasurement& measurement);

 private:
  RateOptions options_;
  double rate_;
  double share_ = 0;
  RateMeasurement gathered_;
};

/// Processor seconds that one sampled fault costs here, with the ring's record: the median of what
/// a few hundred pages of our own took. Falls back to 2 µs where the system doesn't let us try.
[[nodiscard]] double measured_fault_seconds();

}  // namespace Atoll::trace::sample
