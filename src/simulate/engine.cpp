#include "simulate/engine.hpp"

#include <utility>

#include "simulate/live_coordinator.hpp"
#include "simulate/recorded_coordinator.hpp"

namespace Atoll::simulate {

Engine::Engine(const Shape& shape, const Timing& timing, Pages& pages, SimulatedProgram& program,
               Options options)
    : threads_(std::move(options.threads)),
      executor_(options.core_model->executor(
          {shape, timing, pages, program, options.windows, options.timed_from_start})),
      scheduler_(*executor_, program, std::move(options.hw_threads), options.quantum) {
  if (options.windows != nullptr) options.windows->use(*options.core_model);
  if (LiveThreads* const live = program.live(); live != nullptr)
    coordinator_ =
        std::make_unique<LiveCoordinator>(scheduler_, *executor_, *live, options.reached);
  else
    coordinator_ = std::make_unique<RecordedCoordinator>(scheduler_, *executor_, options.stops);
  for (const ProgramThread& thread : threads_) scheduler_.add_thread(thread);
}

std::vector<HardwareThread> Engine::hw_threads() const {
  std::vector<HardwareThread> hw_threads;
  for (std::uint32_t thread = 0; thread < executor_->threads(); ++thread)
    hw_threads.push_back(executor_->hw_thread_of(thread));
  return hw_threads;
}

EngineResult Engine::run() {
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    if (threads_[thread].starts_alone) scheduler_.begin(thread, 0);
  const bool was_stopped = !scheduler_.run(*coordinator_);
  EngineResult result = executor_->finish();
  result.cut_waits = scheduler_.cut_waits();
  result.was_stopped = was_stopped;
  return result;
}

}  // namespace Atoll::simulate
