// Observes the first touch of each page, and every later fault, by perf's page-fault samples. It
// supplements any front end: it includes first touches by the system and by libc, which compiled
// code does not observe.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "recording/read_region.hpp"
#include "recording/sample/counts.hpp"
#include "recording/sample/perf_events.hpp"
#include "recording/sample/rings.hpp"

namespace Atoll::recording::sample {

/// Contract: call start() while the program waits to be executed, step() at least every 20 ms while
/// it runs (each unit's ring has room for 13,000 faults), and finish() after its end.
class FaultSampler {
 public:
  /// Never throws. If page faults can't be sampled, obstacle() has the reason and no fault is
  /// observed.
  FaultSampler();

  void start(pid_t pid);
  void step();
  void finish();

  /// Returns one line with the reason and a remedy, or "" if page faults are observed.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  /// Returns the limitation for Recording::cant_see, or nothing if there is none.
  [[nodiscard]] std::optional<Unseen> cant_see() const;
  [[nodiscard]] const Counts& counts() const { return counts_; }
  /// Returns the first toucher of each page, for read_counts(). The result must not outlive this
  /// object.
  [[nodiscard]] FirstTouches first_touches(const RegionView& region) const;

  // Interface for front ends that use every fault as a sample. It replaces step().

  /// Reads the records from the rings.
  void drain();
  struct Meaning {
    std::uint64_t weight = 0;
    bool touches = true;  ///< as in Counts::add_fault
  };
  using MeaningOf = std::function<Meaning(const Sample& sample)>;
  /// Counts the drained records that are at least a millisecond older than the last drain, in order
  /// of time; with `all`, also newer ones.
  void count(const MeaningOf& meaning_of, Epoch epoch, bool all);
  /// Starts or stops sampling faults.
  void enable(bool on);
  [[nodiscard]] Counts& counts() { return counts_; }
  /// Returns the number of faults drained so far.
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

/// Returns CLOCK_MONOTONIC, which perf's records and the region use.
[[nodiscard]] std::uint64_t monotonic_ns();

/// Returns the region's ThreadRecord of each thread of the counts, matched by pid, tid and time; 0
/// if there is none.
[[nodiscard]] std::vector<record::Offset> records_of_threads(const Counts& counts,
                                                             const RegionView& region);

}  // namespace Atoll::recording::sample
