// Controls the number of pages withdrawn in a second, so that watching costs at most its share of
// the program's own time. Depends on measurements only, not on the system.
#pragma once

#include <cstdint>

namespace Atoll::recording::sample {

struct RateOptions {
  double share = 0.02;  ///< share of the program's processor time; less than the documented limit
                        ///< of 5 %
  double least = 100, most = 100'000;  ///< pages a second
  double first = 1000;
  /// Processor seconds by which the budget may be exceeded before watching pauses. They allow for
  /// the first touches of memory, most of which occur when a program starts.
  double credit = 0.1;
};

/// Interval since the last measurement. Times are processor times.
struct RateMeasurement {
  double seconds = 0;          ///< elapsed
  double program_seconds = 0;  ///< all watched processes, including watching
  double pages_seconds = 0;    ///< part of the processes and of `atoll` for withdrawn pages
  double other_seconds = 0;    ///< as pages_seconds, for watching faults that occur anyway
  double pages = 0;            ///< withdrawn
};

class Rate {
 public:
  explicit Rate(const RateOptions& options = {}) : options_(options), rate_(options.first) {}

  [[nodiscard]] double pages_per_second() const { return rate_; }
  /// Returns true if faults of the program itself have exceeded the budget, so none should be
  /// watched for now.
  [[nodiscard]] bool pauses() const { return pauses_; }
  /// Returns the share of the program's own time that watching has taken so far.
  [[nodiscard]] double share() const;
  /// Adds a measurement. Short intervals are combined until they are long enough.
  void measured(const RateMeasurement& measurement);

 private:
  RateOptions options_;
  double rate_;
  bool pauses_ = false;
  RateMeasurement gathered_, all_;
  double page_seconds_ = 0;  ///< cost of a page, smoothed; 0: unknown
};

/// Returns the processor seconds of one sampled fault on this computer, including the ring's
/// record: the median over a few hundred pages of a test file. Returns 2 µs if the system denies
/// the test.
[[nodiscard]] double measured_fault_seconds();

}  // namespace Atoll::recording::sample
