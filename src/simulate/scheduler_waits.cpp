// Waits of threads for each other.
#include <algorithm>

#include "simulate/scheduler.hpp"

namespace Atoll::simulate {

void Scheduler::park(std::uint32_t thread) {
  threads_[thread].state = State::waits;
  leave_core(thread);
}

void Scheduler::sleep(std::uint32_t thread) {
  threads_[thread].state = State::sleeps;
  leave_core(thread);
}

void Scheduler::wake_up(std::uint32_t thread) {
  threads_[thread].state = State::runs;
  order_changed_ = true;
}

void Scheduler::leave_core(std::uint32_t thread) {
  Thread& its = threads_[thread];
  order_changed_ = true;
  its.runs_instant_records = true;
  if (its.is_off_core) return;
  its.is_off_core = true;
  update_core_sharers(executor_->hw_thread_of(thread));
}

void Scheduler::rejoin_core(std::uint32_t thread) {
  Thread& its = threads_[thread];
  its.runs_instant_records = false;
  coordinator_->takes_time(thread);
  if (!its.is_off_core) return;
  its.is_off_core = false;
  update_core_sharers(executor_->hw_thread_of(thread));
}

void Scheduler::wake(std::uint32_t thread, Ticks at) {
  Thread& its = threads_[thread];
  order_changed_ = true;
  executor_->wait_until(thread, at);
  if (its.state != State::waits) return;
  its.state = State::runs;
  its.is_woken = true;
}

void Scheduler::wake(const std::vector<Waits::Woken>& woken) {
  for (const Waits::Woken& one : woken) wake(one.thread, one.at);
}

bool Scheduler::break_deadlock() {
  // The waiting threads wait for lost events: resumes the one with the lowest simulated time.
  std::optional<std::uint32_t> first;
  for (std::uint32_t thread = 0; thread < threads(); ++thread)
    if (threads_[thread].state == State::waits &&
        (!first || executor_->position(thread) < executor_->position(*first)))
      first = thread;
  if (!first) return false;
  for (Thread& one : threads_) std::erase(one.joiners, *first);
  waits_.forget(*first);
  coordinator_->forget(*first);
  ++cut_waits_;
  wake(*first, executor_->position(*first));
  return true;
}

bool Scheduler::continue_at(std::uint32_t thread, std::optional<Ticks> at) {
  if (at)
    wake(thread, *at);
  else
    park(thread);
  return at.has_value();
}

bool Scheduler::join(std::uint32_t thread, const recording::StreamEvent& event) {
  if (take_woken(thread)) return true;
  executor_->drain(thread);
  const std::optional<std::uint32_t> other = coordinator_->joined(thread, event);
  if (!other || *other >= threads()) return true;
  if (state(*other) == State::ended) return continue_at(thread, threads_[*other].ended);
  threads_[*other].joiners.push_back(thread);
  return continue_at(thread, std::nullopt);
}

bool Scheduler::run_wait(std::uint32_t thread, const recording::StreamWait& wait) {
  using Kind = recording::RecordKind;
  if (wait.kind == Kind::turn) return coordinator_->run(thread, wait);
  if (take_woken(thread)) return true;
  // Resumed threads see all that this thread did, so its accesses complete first.
  executor_->drain(thread);
  const Ticks now = executor_->position(thread);
  const std::uint32_t process = executor_->process_of(thread);
  switch (wait.kind) {
    case Kind::released:
      wake(waits_.release(wait.release, now));
      coordinator_->released(thread, wait.key, wait.count);
      return true;
    case Kind::waited:
      return continue_at(thread,
                         coordinator_->releases_for(thread, waits_).wait_for(wait.release, thread));
    case Kind::posted:
      wake(waits_.post(process, wait.key, wait.number, now));
      coordinator_->released(thread, wait.key, 1);
      return true;
    case Kind::took:
      return continue_at(thread, waits_.take(process, wait.key, wait.number, thread));
    case Kind::barrier: {
      const auto all = waits_.meet(process, wait.key, wait.number, wait.count, thread, now);
      coordinator_->arrived(thread, wait.key);
      if (!all) return continue_at(thread, std::nullopt);
      wake(*all);
      return true;
    }
    default:
      return coordinator_->run(thread, wait);
  }
}

}  // namespace Atoll::simulate
