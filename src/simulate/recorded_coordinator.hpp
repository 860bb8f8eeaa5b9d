// The coordinator of a recorded program: all that its threads do is in their records.
#pragma once

#include "simulate/coordinator.hpp"
#include "simulate/scheduler.hpp"

namespace Atoll::simulate {

class RecordedCoordinator final : public Coordinator {
 public:
  /// The run ends if `stops` returns true; null: never. `scheduler` must outlive this object.
  RecordedCoordinator(Scheduler& scheduler, const Executor& executor, bool (*stops)())
      : scheduler_(scheduler), executor_(executor), stops_(stops) {}

  bool prepare_quantum(Ticks /*reached*/) override { return stops_ == nullptr || !stops_(); }
  bool wait_until_some_run(Ticks /*reached*/) override { return false; }
  void create(std::uint32_t thread, const recording::StreamEvent& event) override {
    if (event.thread < scheduler_.threads())
      scheduler_.begin(event.thread, executor_.core(thread).now());
  }
  std::optional<std::uint32_t> joined(std::uint32_t /*thread*/,
                                      const recording::StreamEvent& event) override {
    return event.thread;
  }
  bool run(std::uint32_t /*thread*/, const recording::StreamWait& /*wait*/) override {
    return true;
  }
  void bind(std::uint32_t /*thread*/, const recording::StreamPlacement& /*call*/) override {}
  Waits& releases_for(std::uint32_t /*thread*/, Waits& releases) override { return releases; }
  void ran_dry(std::uint32_t /*thread*/) override {}
  void takes_time(std::uint32_t /*thread*/) override {}
  void executed(std::uint32_t /*thread*/) override {}
  void released(std::uint32_t /*thread*/, std::uint64_t /*key*/, std::uint32_t /*count*/) override {
  }
  void arrived(std::uint32_t /*thread*/, std::uint64_t /*key*/) override {}
  void ended(std::uint32_t /*thread*/) override {}
  void forget(std::uint32_t /*thread*/) override {}
  void limit(Ticks /*at*/) override {}

 private:
  Scheduler& scheduler_;
  const Executor& executor_;
  bool (*stops_)();
};

}  // namespace Atoll::simulate
