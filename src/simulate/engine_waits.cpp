// Waits of threads for each other.
#include <algorithm>

#include "simulate/engine.hpp"

namespace Atoll::simulate {
namespace {

/// Key with which the thread that began an OpenMP region waits for its end, after all other threads
/// have arrived (inside/waits/openmp.cpp).
constexpr std::uint64_t kRegionEnds = 16;

}  // namespace

void Engine::park(std::uint32_t thread) {
  Running& running = threads_[thread];
  running.state = State::waits;
  leave_core(thread);
}

void Engine::leave_core(std::uint32_t thread) {
  Running& running = threads_[thread];
  order_changed_ = true;
  running.runs_instant_ops = true;
  if (running.is_off_core) return;
  running.is_off_core = true;
  update_core_sharers(running.hw_thread);
}

void Engine::rejoin_core(std::uint32_t thread) {
  Running& running = threads_[thread];
  running.runs_instant_ops = false;
  running.is_idle = false;
  if (!running.is_off_core) return;
  running.is_off_core = false;
  update_core_sharers(running.hw_thread);
}

void Engine::wake(std::uint32_t thread, Ticks at) {
  Running& running = threads_[thread];
  order_changed_ = true;
  if (timed_) {
    running.core.wait_until(at, kWaiting);
  } else if (const Ticks now = position(running); at > now) {
    running.untimed += static_cast<std::uint64_t>((at - now + kUntimedAccess - 1) / kUntimedAccess);
  }
  if (running.state != State::waits) return;
  running.state = State::runs;
  running.is_woken = true;
}

void Engine::wake(const std::vector<Waits::Woken>& woken) {
  for (const Waits::Woken& one : woken) wake(one.thread, one.at);
}

bool Engine::break_deadlock() {
  // The waiting threads wait for lost events: resumes the one with the lowest simulated time.
  std::uint32_t first = 0;
  bool found = false;
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread) {
    if (threads_[thread].state != State::waits) continue;
    if (!found || position(threads_[thread]) < position(threads_[first])) first = thread;
    found = true;
  }
  if (!found) return false;
  for (Running& one : threads_) std::erase(one.joiners, first);
  for (auto& [key, waiting] : turn_waits_) std::erase(waiting, first);
  waits_.forget(first);
  regions_.forget(first);
  ++cut_waits_;
  wake(first, position(threads_[first]));
  return true;
}

bool Engine::take_turn(std::uint32_t thread, const Op& op) {
  Running& running = threads_[thread];
  if (op.key != 0 && !running.is_woken && !released_since(running, op.key)) {
    turn_waits_[{running.process, op.key}].push_back(thread);
    park(thread);
    return false;
  }
  if (!is_first(thread)) return false;
  running.is_woken = false;
  running.turn_at = releases_;
  live_->grant_turn(thread);
  return true;
}

bool Engine::released_since(const Running& running, std::uint64_t key) const {
  if (releases_ - running.turn_at > recent_releases_.size()) return true;  // too old: try once more
  for (std::uint64_t number = running.turn_at; number < releases_; ++number)
    if (recent_releases_[number % recent_releases_.size()] == std::pair(running.process, key))
      return true;
  return false;
}

void Engine::resume_turn_waiters(std::uint32_t thread, std::uint64_t key, std::uint32_t count) {
  recent_releases_[releases_++ % recent_releases_.size()] = {threads_[thread].process, key};
  const auto found = turn_waits_.find({threads_[thread].process, key});
  if (found == turn_waits_.end()) return;
  std::deque<std::uint32_t>& waiting = found->second;
  const Ticks now = position(threads_[thread]);
  const std::size_t all = waiting.size();
  for (std::size_t i = 0; i < all && (count == 0 || i < count); ++i) {
    wake(waiting.front(), now);
    waiting.pop_front();
  }
  if (waiting.empty()) turn_waits_.erase(found);
}

bool Engine::run_wait(std::uint32_t thread, const Op& op) {
  Running& running = threads_[thread];
  if (op.kind == Op::Kind::turn) return live_ == nullptr || take_turn(thread, op);
  if (running.is_woken) {
    running.is_woken = false;
    return true;
  }
  // Resumed threads see all that this thread did, so its accesses complete first.
  if (timed_) running.core.drain();
  const Ticks now = position(running);
  const auto go_on_at = [&](std::optional<Ticks> at) {
    if (at)
      wake(thread, *at);
    else
      park(thread);
    return at.has_value();
  };
  switch (op.kind) {
    case Op::Kind::join: {
      std::uint32_t other = op.other;
      if (live_ != nullptr) {
        const auto joined = live_->joined(thread, op.address);
        if (!joined) return true;
        other = *joined;
      }
      if (other >= threads_.size()) return true;
      if (threads_[other].state == State::ended) return go_on_at(threads_[other].ended);
      threads_[other].joiners.push_back(thread);
      return go_on_at(std::nullopt);
    }
    case Op::Kind::release:
      wake(waits_.release(op.address, now));
      if (live_ == nullptr) return true;
      resume_turn_waiters(thread, op.key, op.count);
      wake_sleepers(thread, op.key);
      running.runs_instant_ops = true;
      return true;
    case Op::Kind::wait_for: {
      // A worker continues when its region expects it, whether or not the host has seen it asleep.
      Waits& releases = std::exchange(running.is_idle, false) ? regions_ : waits_;
      return go_on_at(releases.wait_for(op.address, thread));
    }
    case Op::Kind::post:
      wake(waits_.post(running.process, op.key, op.address, now));
      if (live_ == nullptr) return true;
      resume_turn_waiters(thread, op.key, 1);
      wake_sleepers(thread, op.key);
      running.runs_instant_ops = true;
      return true;
    case Op::Kind::take:
      return go_on_at(waits_.take(running.process, op.key, op.address, thread));
    case Op::Kind::barrier: {
      const auto all = waits_.meet(running.process, op.key, op.address, op.count, thread, now);
      // A thread that has passed the barrier has seen all others arrive, so these continue.
      if (live_ != nullptr) wake_sleepers(thread, op.key);
      if (!all) return go_on_at(std::nullopt);
      wake(*all);
      return true;
    }
    case Op::Kind::expects:
      if (live_ != nullptr) expect(thread, op);
      return true;
    case Op::Kind::asleep:
      if (live_ == nullptr) return true;
      leave_core(thread);
      running.is_idle = op.key == kIdle;
      if (has_ops(running)) {
        if (op.address == kWakesOthers) wake_in_runtime(thread);
        return true;
      }
      if (op.key == kRegionEnds)
        live_->wait_for_more(thread);  // all have arrived: the thread surely continues
      else if (!live_->wait_for_ops(thread))
        go_to_sleep(thread, op.key, op.address);
      if (op.address == kWakesOthers) wake_in_runtime(thread);
      return true;
    case Op::Kind::bind:
      if (live_ == nullptr) return true;
      move_threads(live_->bind(thread));
      return true;
    default:
      return true;
  }
}

}  // namespace Atoll::simulate
