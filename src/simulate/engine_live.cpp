// The engine with a live program: threads appear and sleep as they do in the program. A thread that
// sleeps in real time does nothing in simulated time. When an op may have woken threads, the engine
// waits at once until it is known whether they continue. Therefore the order doesn't depend on the
// speed of the program.
#include <time.h>

#include <algorithm>

#include "simulate/engine.hpp"

namespace Atoll::simulate {
namespace {

/// Number of polls without progress after which a wait is broken. It is higher if a thread runs, as
/// that thread may lack a processor on a busy computer.
constexpr int kIdleTurns = 20'000, kBusyTurns = 100'000;

}  // namespace

void Engine::go_to_sleep(std::uint32_t thread, std::uint64_t key, std::uint64_t other) {
  Running& running = threads_[thread];
  running.state = State::sleeps;
  running.sleeps_for[0] = key;
  running.sleeps_for[1] = other;
  running.is_called = false;
  ++sleepers_;
  leave_core(thread);
  order_changed_ = true;
}

void Engine::wake_up(std::uint32_t thread) {
  Running& running = threads_[thread];
  running.state = State::runs;
  --sleepers_;
  order_changed_ = true;
  woken_up_.push_back(thread);
}

void Engine::run_instant_ops_of_woken() {
  while (!woken_up_.empty()) {
    // In the order in which they would have run if awake.
    const auto first = std::ranges::min_element(woken_up_, {}, [&](std::uint32_t thread) {
      return std::pair(position(threads_[thread]), thread);
    });
    const std::uint32_t thread = *first;
    woken_up_.erase(first);
    Running& running = threads_[thread];
    // Continues across batches, so that batch boundaries make no difference.
    while (running.state == State::runs) {
      if (running.next_op == running.batch.ops.size()) {
        take_more(thread);
        continue;
      }
      const Op& op = running.batch.ops[running.next_op];
      if (takes_time(op) || op.kind == Op::Kind::turn || !run_op(thread, op, 0)) break;
      ++running.next_op;
    }
  }
}

void Engine::poll_live_threads(Ticks now, bool all) {
  while (const auto appeared = live_->appeared()) {
    const std::uint32_t thread = add_thread(*appeared);
    spread_threads();
    begin(thread, timed_ ? now : 0);
    if (!timed_ && now > 0)
      threads_[thread].untimed = static_cast<std::uint64_t>(now / kUntimedAccess);
  }
  if (sleepers_ == 0) return;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    if (threads_[thread].state == State::sleeps && (all || threads_[thread].sleeps_for[0] == 0) &&
        live_->has_more(thread))
      wake_up(thread);
}

bool Engine::poll_until_runnable() {
  for (int turn = 0; turn < kIdleTurns || (turn < kBusyTurns && live_->some_run()); ++turn) {
    const bool has_ended = live_->has_ended();  // read before the last records are fetched
    poll_live_threads(reached_by_all_, true);
    bool runs = false;
    for (const Running& running : threads_) runs = runs || running.state == State::runs;
    if (runs) return true;
    if (has_ended) {
      for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
        if (threads_[thread].state == State::sleeps) wake_up(thread);  // take_more() then ends it
      return sleepers_ != 0 || std::ranges::any_of(threads_, [](const Running& one) {
               return one.state == State::runs;
             });
    }
    // No limit while all threads sleep for unknown reasons: that may take any time.
    const bool some_wait =
        std::ranges::any_of(threads_, [](const Running& one) { return one.state == State::waits; });
    if (!some_wait) turn = 0;
    const timespec moment = {0, 100'000};
    ::nanosleep(&moment, nullptr);
  }
  return false;
}

void Engine::wake_sleepers(std::uint32_t thread, std::uint64_t key) {
  if (sleepers_ == 0) return;
  std::vector<std::uint32_t> called;
  for (std::uint32_t other = 0; other < threads_.size(); ++other) {
    Running& running = threads_[other];
    if (running.state != State::sleeps || running.process != threads_[thread].process) continue;
    // A thread that waits for a signal needs the mutex afterwards, which is its second key.
    if (running.sleeps_for[0] == key)
      running.is_called = true;
    else if (key == kTasks ? !is_in_runtime(running)
                           : !running.is_called || running.sleeps_for[1] != key)
      continue;
    called.push_back(other);
  }
  if (called.empty()) return;
  // This thread's next record shows that the event that resumes them has happened.
  if (!has_ops(threads_[thread])) live_->wait_for_more(thread);
  live_->wait_for_ops_of_each(called);
  for (const std::uint32_t other : called) wake_up(other);
}

void Engine::wake_in_runtime(std::uint32_t thread) {
  if (sleepers_ == 0) return;
  std::vector<std::uint32_t> called;
  for (std::uint32_t other = 0; other < threads_.size(); ++other)
    if (other != thread && threads_[other].state == State::sleeps &&
        is_in_runtime(threads_[other]) && threads_[other].process == threads_[thread].process)
      called.push_back(other);
  if (called.empty()) return;
  live_->wait_for_ops_of_each(called);
  for (const std::uint32_t other : called) wake_up(other);
}

void Engine::expect(std::uint32_t thread, const Op& op) {
  const std::vector<Waits::Woken> there = regions_.release(op.address, position(threads_[thread]));
  wake(there);
  if (there.size() >= op.count || sleepers_ == 0) return;
  std::vector<std::uint32_t> idle;
  std::size_t busy = 0;  // threads that may belong to the region and haven't arrived
  for (std::uint32_t other = 0; other < threads_.size(); ++other) {
    const Running& its = threads_[other];
    if (other == thread || its.process != threads_[thread].process) continue;
    if (its.state == State::sleeps && its.sleeps_for[0] == kIdle)
      idle.push_back(other);
    else if (its.state != State::ended &&
             std::ranges::find(there, other, &Waits::Woken::thread) == there.end())
      ++busy;
  }
  // The run-time library decides which idle workers continue. The last argument is the number that
  // surely do, as the busy threads may be the others.
  const std::size_t needed = op.count - there.size();
  live_->wait_for_ops_of_some(idle, needed, needed - std::min(needed, busy));
  for (const std::uint32_t other : idle) wake_up(other);
}

bool Engine::is_first(std::uint32_t thread) const {
  const Ticks now = position(threads_[thread]);
  for (std::uint32_t other = 0; other < threads_.size(); ++other) {
    if (other == thread || threads_[other].state != State::runs) continue;
    const Ticks its = position(threads_[other]);
    if (its < now || (its == now && other < thread)) return false;
  }
  return true;
}

void Engine::grow_objects() {
  const std::size_t objects = live_->objects();
  if (objects <= objects_.size()) return;
  objects_.resize(objects);
  for (Running& running : threads_) running.core.grow_objects(objects);
}

void Engine::move_threads(const std::vector<LiveThreads::Move>& moves) {
  for (const LiveThreads::Move& move : moves) {
    if (move.thread >= threads_.size()) continue;
    Running& moved = threads_[move.thread];
    const HardwareThread before = moved.hw_thread;
    moved.hw_thread = options_.hw_threads[move.place];
    moved.core.move_to(moved.hw_thread.node);
    update_core_sharers(before);
    update_core_sharers(moved.hw_thread);
  }
}

void Engine::spread_threads() {
  const std::vector<LiveThreads::Move> moves = live_->moved_threads();
  if (moves.empty()) return;
  move_threads(moves);
  move_pages();
}

}  // namespace Atoll::simulate
