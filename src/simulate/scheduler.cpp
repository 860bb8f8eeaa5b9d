#include "simulate/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "atoll/base/page_size.hpp"
#include "simulate/stream_to_batch.hpp"

namespace Atoll::simulate {
namespace {

constexpr Ticks kNever = Order::kNever;

}  // namespace

Scheduler::Scheduler(Executor& executor, SimulatedProgram& program,
                     std::vector<HardwareThread> hw_threads, Ticks quantum)
    : executor_(&executor),
      program_(&program),
      hw_threads_(std::move(hw_threads)),
      quantum_(quantum) {}

std::uint32_t Scheduler::add_thread(const ProgramThread& thread) {
  threads_.emplace_back();
  order_changed_ = true;
  return executor_->add_thread(thread.process, hw_threads_[thread.place]);
}

void Scheduler::update_core_sharers(const HardwareThread& hw_thread) {
  order_changed_ = true;
  CoreSharers sharers{0, 0, hw_thread.chip};
  const auto shares = [&](std::uint32_t other) {
    return threads_[other].state == State::runs && !threads_[other].is_off_core &&
           executor_->hw_thread_of(other).l2 == hw_thread.l2;
  };
  for (std::uint32_t other = 0; other < threads(); ++other) sharers.on_l2 += shares(other);
  for (std::uint32_t one = 0; one < threads(); ++one) {
    if (!shares(one)) continue;
    sharers.on_core = 0;
    sharers.chip = executor_->hw_thread_of(one).chip;
    for (std::uint32_t other = 0; other < threads(); ++other)
      sharers.on_core +=
          shares(other) && executor_->hw_thread_of(other).core == executor_->hw_thread_of(one).core;
    executor_->core(one).share(sharers);
  }
}

void Scheduler::begin(std::uint32_t thread, Ticks at) {
  Thread& its = threads_[thread];
  if (its.state != State::not_begun) return;
  its.state = State::runs;
  executor_->start_at(thread, at);
  update_core_sharers(executor_->hw_thread_of(thread));
  executor_->expect_threads(
      static_cast<std::size_t>(std::ranges::count_if(threads_, [](const Thread& other) {
        return other.state != State::not_begun && other.state != State::ended;
      })));
}

void Scheduler::end(std::uint32_t thread) {
  Thread& its = threads_[thread];
  executor_->drain(thread);
  its.state = State::ended;
  its.ended = executor_->position(thread);
  update_core_sharers(executor_->hw_thread_of(thread));
  for (const std::uint32_t joiner : its.joiners) wake(joiner, its.ended);
  its.joiners.clear();
  coordinator_->ended(thread);
}

void Scheduler::move(std::uint32_t thread, std::uint32_t place) {
  const HardwareThread before = executor_->hw_thread_of(thread);
  executor_->move_thread(thread, hw_threads_[place]);
  update_core_sharers(before);
  update_core_sharers(hw_threads_[place]);
}

bool Scheduler::some_are(State state) const {
  return std::ranges::any_of(threads_, [&](const Thread& one) { return one.state == state; });
}

bool Scheduler::is_first(std::uint32_t thread) const {
  const Ticks now = executor_->position(thread);
  for (std::uint32_t other = 0; other < threads(); ++other) {
    if (other == thread || threads_[other].state != State::runs) continue;
    const Ticks its = executor_->position(other);
    if (its < now || (its == now && other < thread)) return false;
  }
  return true;
}

void Scheduler::set_timed(bool timed, Ticks at) {
  if (timed == executor_->is_timed()) return;
  order_changed_ = true;
  if (!timed) return executor_->end_timed(at);
  // Untimed accesses took no time, so all threads advance to this thread's time.
  waits_.limit(at);
  coordinator_->limit(at);
  executor_->begin_timed(at);
}

void Scheduler::sort() {
  positions_.clear();
  for (std::uint32_t thread = 0; thread < threads(); ++thread)
    positions_.push_back(threads_[thread].state == State::runs ? executor_->position(thread)
                                                               : kNever);
  order_.assign(positions_);
  order_changed_ = false;
}

bool Scheduler::run(Coordinator& coordinator) {
  coordinator_ = &coordinator;
  Ticks reached = 0;  // by all running threads, except threads that slept
  for (;;) {
    if (!coordinator.prepare_quantum(reached)) return false;
    if (order_changed_) sort();
    const Ticks first = order_.first_position();
    if (first == kNever) {
      if (coordinator.wait_until_some_run(reached) || break_deadlock()) continue;
      return true;
    }
    reached = std::max(reached, first);
    if (executor_->is_timed()) executor_->network().finalize_until(first);
    const Ticks second = order_.second_position();
    const std::uint32_t next = order_.first();
    executor_->stop_waiting_for_line(next);
    // While threads wait for lines, the quantum is minimal, so that the holder releases a line on
    // time and not at the end of a quantum.
    const Ticks quantum = executor_->some_wait_for_lines() ? 1 : quantum_;
    run_quantum(next, second == kNever ? first + quantum_ * 16 : second + quantum);
    if (!order_changed_) order_.set(next, executor_->position(next));
  }
}

void Scheduler::fetch(std::uint32_t thread) {
  if (!executor_->fetch(thread))
    end(thread);
  else if (executor_->current(thread) == nullptr)
    coordinator_->ran_dry(thread);
}

void Scheduler::run_quantum(std::uint32_t thread, Ticks until) {
  const Thread& its = threads_[thread];
  bool is_first_record = true;
  while (its.state == State::runs && !executor_->waits_for_line(thread) &&
         (its.runs_instant_records || executor_->position(thread) < until)) {
    const Batch::Step* const step = executor_->current(thread);
    if (step == nullptr) {
      fetch(thread);
      continue;
    }
    if (step->takes_time()) {
      // A record that takes time and follows a wait starts a new quantum, so that only simulated
      // time decides which thread runs first.
      if (its.runs_instant_records) {
        if (!is_first_record) break;
        rejoin_core(thread);
      }
      executor_->run(thread, until);
    } else if (run_step(thread, *step)) {
      executor_->advance(thread);
    } else if (is_turn(thread, *step)) {
      break;
    }
    is_first_record = false;
  }
  executor_->core(thread).finalize_meters();
}

void Scheduler::run_instant_records(std::uint32_t thread) {
  // Continues across batches, so that batch boundaries make no difference.
  while (threads_[thread].state == State::runs) {
    const Batch::Step* const step = executor_->current(thread);
    if (step == nullptr) {
      fetch(thread);
      continue;
    }
    if (step->takes_time() || is_turn(thread, *step) || !run_step(thread, *step)) break;
    executor_->advance(thread);
  }
}

bool Scheduler::is_turn(std::uint32_t thread, const Batch::Step& step) const {
  return step.type == Batch::Type::wait &&
         executor_->batch(thread).wait_of(step).kind == recording::RecordKind::turn;
}

bool Scheduler::run_step(std::uint32_t thread, const Batch::Step& step) {
  const Batch& batch = executor_->batch(thread);
  switch (step.type) {
    case Batch::Type::event:
      return run_event(thread, batch.event_of(step));
    case Batch::Type::wait:
      return run_wait(thread, batch.wait_of(step));
    default:
      run_call(thread, batch.placement_of(step));
      return true;
  }
}

bool Scheduler::run_event(std::uint32_t thread, const recording::StreamEvent& event) {
  using Kind = recording::RecordKind;
  switch (event.kind) {
    case Kind::thread_created:
      coordinator_->create(thread, event);
      break;
    case Kind::thread_joined:
      if (!join(thread, event)) return false;
      break;
    case Kind::mark_begin:
      set_timed(true, executor_->core(thread).now());
      break;
    case Kind::mark_end:
      executor_->drain(thread);
      set_timed(false, executor_->core(thread).now());
      break;
    default:
      break;
  }
  program_->execute_event(thread, event);
  if (!is_about_memory(event.kind)) return true;
  coordinator_->executed(thread);
  if ((event.kind == Kind::freed || event.kind == Kind::unmapped) && event.bytes > 0)
    executor_->pages().discard(executor_->process_of(thread), event.address,
                               event.address + event.bytes);
  return true;
}

void Scheduler::run_call(std::uint32_t thread, const recording::StreamPlacement& call) {
  using Kind = recording::RecordKind;
  const std::uint32_t process = executor_->process_of(thread);
  const std::uint64_t end = call.address + call.bytes;
  switch (call.kind) {
    case Kind::pages_populated:
      return executor_->populate(thread, call.address, call.bytes, call.by_write);
    case Kind::pages_discarded:
      return executor_->pages().discard(process, call.address, end);
    case Kind::pages_remapped:  // whole pages
      return executor_->pages().remap(process, call.address, end - call.bytes % kPageBytes,
                                      call.new_address);
    case Kind::bound:
      executor_->drain(thread);  // accesses before the call complete where the thread was
      return coordinator_->bind(thread, call);
    default:
      program_->execute_call(thread, call);
      return coordinator_->executed(thread);
  }
}

}  // namespace Atoll::simulate
