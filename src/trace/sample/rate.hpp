// Decides how many pages a second may be withdrawn so that watching costs no more than its share of
// the program's own time. Pure: measurements in, a rate out.
#pragma once

#include <cstdint>

namespace Atoll::trace::sample {

struct RateOptions {
  double share = 0.02;  ///< of the program's processor time: below the 5 % that are promised
  double least = 100, most = 100'000;  ///< pages a second
  double first = 1000;
  /// Processor seconds that may be overspent before watching pauses. They are for the first touches
  /// of memory, most of which come when a program starts.
  double credit = 0.1;
};

/// What happened since the last measurement. Times are processor times.
struct RateMeasurement {
  double seconds = 0;          ///< that passed
  double program_seconds = 0;  ///< of all watched processes, watching included
  double pages_seconds = 0;    ///< of these and of `atoll`, for pages that were withdrawn
  double other_seconds = 0;    ///< the same, for watching faults that happen anyway
  double pages = 0;            ///< withdrawn
};

class Rate {
 public:
  explicit Rate(const RateOptions& options = {}) : options_(options), rate_(options.first) {}

  [[nodiscard]] double pages_per_second() const { return rate_; }
  /// True if the program's own faults have cost too much so far: none should be watched for now.
  [[nodiscard]] bool pauses() const { return pauses_; }
  /// Returns the share of the program's own time that watching has taken so far.
  [[nodiscard]] double share() const;
  /// Adds a measurement. Short ones are gathered until they are long enough.
  void measured(const RateMeasurement& measurement);

 private:
  RateOptions options_;
  double rate_;
  bool pauses_ = false;
  RateMeasurement gathered_, all_;
  double page_seconds_ = 0;  ///< what a page costs, smoothed; 0: not known yet
};

/// Returns the processor seconds that one sampled fault costs here, with the ring's record: the
/// median over a few hundred pages of our own. Returns 2 µs if the system doesn't allow the test.
[[nodiscard]] double measured_fault_seconds();

}  // namespace Atoll::trace::sample
