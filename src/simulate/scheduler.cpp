#include "simulate/scheduler.hpp"

#include <algorithm>
#include <utility>

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
    const Op* const op = executor_->current(thread);
    if (op == nullptr) {
      fetch(thread);
      continue;
    }
    if (Executor::takes_time(*op)) {
      // A record that takes time and follows a wait starts a new quantum, so that only simulated
      // time decides which thread runs first.
      if (its.runs_instant_records) {
        if (!is_first_record) break;
        rejoin_core(thread);
      }
      executor_->run(thread, until);
    } else if (run_record(thread, *op)) {
      executor_->advance(thread);
    } else if (op->kind == Op::Kind::turn) {
      break;
    }
    is_first_record = false;
  }
  executor_->core(thread).finalize_meters();
}

void Scheduler::run_instant_records(std::uint32_t thread) {
  // Continues across batches, so that batch boundaries make no difference.
  while (threads_[thread].state == State::runs) {
    const Op* const op = executor_->current(thread);
    if (op == nullptr) {
      fetch(thread);
      continue;
    }
    if (Executor::takes_time(*op) || op->kind == Op::Kind::turn || !run_record(thread, *op)) break;
    executor_->advance(thread);
  }
}

bool Scheduler::run_record(std::uint32_t thread, const Op& op) {
  const auto now = [&] { return executor_->core(thread).now(); };
  switch (op.kind) {
    case Op::Kind::create:
      coordinator_->create(thread, op);
      return true;
    case Op::Kind::timed_begin:
      set_timed(true, now());
      return true;
    case Op::Kind::timed_end:
      executor_->drain(thread);
      set_timed(false, now());
      return true;
    case Op::Kind::clock:
      program_->clock(thread, op.address);
      coordinator_->executed_event(thread);
      return true;
    case Op::Kind::populate:
      executor_->populate(thread, op.address, op.key, op.write);
      return true;
    case Op::Kind::discard:
      executor_->pages().discard(executor_->process_of(thread), op.address, op.address + op.key);
      return true;
    case Op::Kind::remap: {
      const std::uint64_t bytes = std::uint64_t{op.count} << kPageBits[0];
      executor_->pages().remap(executor_->process_of(thread), op.address, op.address + bytes,
                               op.key);
      return true;
    }
    default:
      return run_wait(thread, op);
  }
}

}  // namespace Atoll::simulate
