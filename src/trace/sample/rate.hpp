// How many pages a second may be withdrawn so that watching costs no more than its share of the
// program's own time. Pure: measurements in, a rate out.
#pragma once

#include <cstdint>

namespace Atoll::trace::sample {

struct RateOptions {
  double share = 0.02;  ///< of the program's processor time: below the 5 % that are promised
  double least = 100, most = 100'000;  ///< pages a second
  double first = 1000;
  /// Processor seconds that may be spent too much before watching pauses: for the first touches of
  /// memory, most of which come when a program starts.
  double credit = 0.1;
};

/// What happened since the last measurement. Times are of processors.
struct RateMeasurement {
  double seconds = 0;          ///< that passed
  double program_seconds = 0;  ///< of all watched processes, watching included
  double pages_seconds = 0;    ///< of these and of `atoll`, for pages that were withdrawn
  double other_seconds = 0;    ///< the same for watching what happens anyway
  double pages = 0;            ///< withdrawn
};

class Rate {
 public:
  explicit Rate(const RateOptions& options = {}) : options_(options), rate_(options.first) {}

  [[nodiscard]] double pages_per_second() const { return rate_; }
  /// What the program's own faults cost was too much so far: none should be watched for now.
  [[nodiscard]] bool pauses() const { return pauses_; }
  /// The share of the program's own time that watching has taken so far.
  [[nodiscard]] double share() const;
  /// Short measurements are gathered until they tell something.
  void measured(const RateMeasurement& measurement);

 private:
  RateOptions options_;
  double rate_;
  bool pauses_ = false;
  RateMeasurement gathered_, all_;
  double page_seconds_ = 0;  ///< that one costs, smoothed; 0: not known yet
};

/// Processor seconds that one sampled fault costs here, with the ring's record: the median of what
/// a few hundred pages of our own took. Falls back to 2 µs where the system doesn't let us try.
[[nodiscard]] double measured_fault_seconds();

}  // namespace Atoll::trace::sample
