// Runs a program's threads in simulated time: an executor on the machine's caches and network, a
// scheduler, and the coordinator that the program needs.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "simulate/coordinator.hpp"
#include "simulate/core_models.hpp"
#include "simulate/engine_result.hpp"
#include "simulate/executor.hpp"
#include "simulate/scheduler.hpp"

namespace Atoll::simulate {

class Engine {
 public:
  struct Options {
    std::vector<ProgramThread> threads;
    std::vector<HardwareThread> hw_threads;  ///< indexed by ProgramThread::place
    bool timed_from_start = true;
    Ticks quantum = 20'000;
    Windows* windows = nullptr;  ///< record parts of the run; null: none
    bool (*stops)() = nullptr;   ///< a recorded run ends if it returns true; null: never
    /// Receives a live program's simulated time while it runs; null: not needed.
    std::atomic<Ticks>* reached = nullptr;
    const CoreModelRow* core_model = &core_models().front();
  };
  /// All references must outlive the engine.
  Engine(const Shape& shape, const Timing& timing, Pages& pages, SimulatedProgram& program,
         Options options);

  /// Runs to the end, or until it is stopped.
  EngineResult run();
  [[nodiscard]] const Network& network() const { return executor_->network(); }
  [[nodiscard]] const Hierarchy& hierarchy() const { return executor_->hierarchy(); }
  /// Hardware thread that each thread is bound to.
  [[nodiscard]] std::vector<HardwareThread> hw_threads() const;

 private:
  std::vector<ProgramThread> threads_;
  std::unique_ptr<Executor> executor_;
  Scheduler scheduler_;
  std::unique_ptr<Coordinator> coordinator_;
};

}  // namespace Atoll::simulate
