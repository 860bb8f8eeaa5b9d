// The front end `sample`, as it runs in `atoll`, is for production. It counts sampled pages and
// scales the counts. The rate adapts so that watching takes less than 5 % of the program's own
// time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/sample/control.hpp"
#include "trace/sample/fault_sampler.hpp"
#include "trace/sample/rate.hpp"
#include "trace/shared_region.hpp"

namespace Atoll::trace {

struct SampleOptions {
  sample::RateOptions rate;
  /// One of this many parts of a large allocation is watched: pages of the file are small ones,
  /// where the program might have got huge ones.
  std::uint64_t parts_apart = 4;
  bool use_hardware = true;    ///< if it samples addresses
  bool binds_threads = false;  ///< the caller does; what such a thread starts has to be free
  /// Gets every sample as it is counted, for the online migrator.
  std::function<void(const sample::Sample&)> on_sample;
};

/// Contract: one object watches one run. Call environment() before the program is started, start()
/// while it waits to be executed, step() at least every 20 ms, and finish() after its end and
/// before the region is read.
class SampleFrontend {
 public:
  explicit SampleFrontend(SampleOptions options = {});
  ~SampleFrontend();
  SampleFrontend(const SampleFrontend&) = delete;
  SampleFrontend& operator=(const SampleFrontend&) = delete;

  /// Returns what the program's environment has besides what libatoll-record.so needs.
  [[nodiscard]] std::pair<std::string, std::string> environment() const;
  void start(pid_t pid);
  void step(const recorder::Header& header);
  /// Writes the counts into the region, as pages without lines.
  void finish(recorder::Header& header);

  /// Returns why accesses aren't seen at all, with the way out, or "" if they are. Call it after
  /// start().
  [[nodiscard]] const std::string& obstacle() const { return faults_.obstacle(); }
  /// Returns Recording::cant_see, besides the row's own.
  [[nodiscard]] std::vector<Unseen> cant_see() const;
  [[nodiscard]] std::vector<Loss> losses() const;
  [[nodiscard]] FirstTouches first_touches(const RegionView& region) const;
  /// Returns the share of the program's own processor time that watching took, as measured while it
  /// ran.
  [[nodiscard]] double share() const { return rate_.share(); }
  [[nodiscard]] double pages_per_second() const { return rate_.pages_per_second(); }
  [[nodiscard]] const sample::Counts& counts() const { return faults_.counts(); }

 private:
  void read_log();
  sample::FaultSampler::Meaning meaning_of(const sample::Sample& sample);
  void count(const recorder::Header& header, bool all);
  void measure();

  SampleOptions options_;
  sample::FaultSampler faults_;
  std::vector<std::unique_ptr<sample::Rings>> hardware_;
  std::vector<std::string> hardware_names_;
  std::string hardware_obstacle_;
  int file_ = -1;
  sample::Control* control_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t>
      withdrawn_;  ///< pid and page -> what it stands for
  std::uint64_t log_read_ = 0, log_missed_ = 0;
  std::uint64_t withdrawn_faults_ = 0;

  sample::Rate rate_;
  double fault_seconds_ = 0;
  int clock_ = -1;  ///< a perf event that counts the program's processor time
  struct Readings {
    double at = 0, program = 0, withdrawing = 0;
    std::uint64_t faults = 0, withdrawn = 0, withdrawn_faults = 0;
  };
  [[nodiscard]] Readings read() const;
  Readings last_;
  bool paused_ = false;
  double paused_seconds_ = 0;
};

}  // namespace Atoll::trace
