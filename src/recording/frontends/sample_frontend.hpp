// The front end `sample`. It is for production: it counts uses of sampled pages and scales the
// counts. The rate adapts so that watching takes less than 5 % of the
// program's own time.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/sample/control.hpp"
#include "recording/frontends/frontend.hpp"
#include "recording/sample/fault_sampler.hpp"
#include "recording/sample/rate.hpp"
#include "recording/shared_region.hpp"

namespace Atoll::recording {

struct SampleOptions {
  sample::RateOptions rate;
  /// One of this many parts of a large allocation is watched. Watched parts are mapped from a file
  /// with small pages, where the program might have got huge pages.
  std::uint64_t parts_apart = 4;
  bool use_hardware = true;    ///< if the hardware can sample addresses
  bool binds_threads = false;  ///< the caller binds threads; new threads must not inherit the
                               ///< binding
  /// Called with every sample when it is counted; used by the online migrator.
  std::function<void(const sample::Sample&)> on_sample;
};

class SampleFrontend : public Frontend {
 public:
  explicit SampleFrontend(SampleOptions options = {});
  ~SampleFrontend() override;

  [[nodiscard]] process::Launch prepare(const std::vector<std::string>& command,
                                        const std::string& libraries,
                                        const std::string& region_path,
                                        const std::vector<std::string>& preload) override;
  void start(pid_t pid) override;
  void step(const record::Header& header) override;
  /// Writes the counts into the region, as pages without counts of lines.
  void finish(record::Header& header) override;

  /// Returns "" if accesses can be sampled, else the reason and a remedy. Call it after start().
  [[nodiscard]] const std::string& obstacle() const { return faults_.obstacle(); }
  [[nodiscard]] std::vector<Unseen> cant_see() const override;
  [[nodiscard]] std::vector<Loss> losses() const override;
  [[nodiscard]] FirstTouches first_touches(const RegionView& region) const override;
  /// Returns the share of the program's processor time that watching takes, as measured at run
  /// time.
  [[nodiscard]] double share() const { return rate_.share(); }
  [[nodiscard]] double pages_per_second() const { return rate_.pages_per_second(); }
  [[nodiscard]] const sample::Counts& counts() const { return faults_.counts(); }

 private:
  void read_log();
  sample::FaultSampler::Meaning meaning_of(const sample::Sample& sample);
  void count(const record::Header& header, bool all);
  void measure();

  SampleOptions options_;
  sample::FaultSampler faults_;
  std::vector<std::unique_ptr<sample::Rings>> hardware_;
  std::vector<std::string> hardware_names_;
  std::string hardware_obstacle_;
  int file_ = -1;
  record::sample::Control* control_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t>
      withdrawn_;  ///< pid and page -> number of pages that this page represents
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

}  // namespace Atoll::recording
