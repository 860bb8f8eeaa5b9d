// Finds who touched each page first, and every later fault, from perf's page-fault samples. It can
// be used with any front end: it sees the touches of the system itself and of libc, which compiled
// code doesn't see.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "trace/read_region.hpp"
#include "trace/sample/counts.hpp"
#include "trace/sample/perf_events.hpp"
#include "trace/sample/rings.hpp"

namespace Atoll::trace::sample {

/// Contract: start() while the program waits to be executed, step() at least every 20 ms while it
/// runs (each unit's ring has room for 13,000 faults), finish() after its end.
class FaultSampler {
 public:
  /// Never throws. If page faults can't be sampled, obstacle() says why and nothing is seen.
  FaultSampler();

  void start(pid_t pid);
  void step();
  void finish();

  /// Returns one line with the way out, or "" if page faults are seen.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  /// Returns a line for Recording::cant_see, or "" if nothing is missing.
  [[nodiscard]] std::optional<Unseen> cant_see() const;
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Returns the first toucher of each page, for read_counts(). The result must not outlive this.
  [[nodiscard]] FirstTouches first_touches(const RegionView& region) const;

  // For front ends of samples, which use every fault, in place of step():

  /// Takes what has come out of the rings.
  void drain();
  struct Meaning {
    std::uint64_t weight = 0;
    bool touches = true;  ///< see Counts::add_fault
  };
  using MeaningOf = std::function<Meaning(const Sample& sample)>;
  /// Counts what was drained and is at least a millisecond older than the last drain, in the order
  /// of time. With `all`, it counts what is newer, too.
  void count(const MeaningOf& meaning_of, Epoch epoch, bool all);
  /// Begins or stops sampling faults.
  void enable(bool on);
  [[nodiscard]] Counts& counts() { return counts_; }
  /// Returns how many faults were drained so far.
  [[nodiscard]] std::uint64_t drained() const { return drained_; }

 private:
  Permission permission_;
  std::string obstacle_;
  std::unique_ptr<Rings> rings_;
  std::vector<Record> waiting_;
  std::uint64_t drain_began_ns_ = 0;
  Counts counts_;
  std::uint64_t drained_ = 0;
};

/// Returns CLOCK_MONOTONIC, as perf's records and the region have it.
[[nodiscard]] std::uint64_t monotonic_ns();

/// Returns, for each of the counts' threads, the region's ThreadRecord, by pid, tid and time; 0 if
/// it has none.
[[nodiscard]] std::vector<recorder::Offset> records_of_threads(const Counts& counts,
                                                               const RegionView& region);

}  // namespace Atoll::trace::sample
