// Base of the front ends that record every access. None of them observes first touches by libc and
// by the system, so page faults are sampled, too, if they are needed.
#pragma once

#include <optional>

#include "recording/frontends/frontend.hpp"
#include "recording/sample/fault_sampler.hpp"

namespace Atoll::recording {

class EveryAccessFrontend : public Frontend {
 public:
  EveryAccessFrontend(const FrontendRow& row, const FrontendOptions& options) : Frontend(row) {
    if (options.records_counts) faults_.emplace();
  }

  void start(pid_t pid) override {
    if (faults_) faults_->start(pid);
  }
  void step(const record::Header& /*header*/) override {
    if (faults_) faults_->step();
  }
  void finish(record::Header& /*header*/) override {
    if (faults_) faults_->finish();
  }
  [[nodiscard]] FirstTouches first_touches(const RegionView& region) const override {
    return faults_ ? faults_->first_touches(region) : FirstTouches{};
  }

 private:
  std::optional<sample::FaultSampler> faults_;
};

}  // namespace Atoll::recording
