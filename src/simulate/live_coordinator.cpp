#include "simulate/live_coordinator.hpp"

#include <time.h>

#include <algorithm>

namespace Atoll::simulate {
namespace {

/// Number of quanta between two polls, and number of quanta after which all sleepers are polled.
/// The latter finds waits with a time limit, which no record ends.
constexpr std::uint64_t kQuantaUntilPoll = 16, kQuantaUntilAll = 4096;
/// Number of polls without progress after which a wait is broken. It is higher if a thread runs, as
/// that thread may lack a processor on a busy computer.
constexpr int kIdleTurns = 20'000, kBusyTurns = 100'000;

}  // namespace

LiveCoordinator::Thread& LiveCoordinator::its(std::uint32_t thread) {
  if (thread >= threads_.size()) threads_.resize(scheduler_.threads());
  return threads_[thread];
}

bool LiveCoordinator::prepare_quantum(Ticks reached) {
  // Threads that a record wakes are known at once. This finds threads that resume without such a
  // record.
  if (quanta_++ % kQuantaUntilPoll == 0) {
    if (live_.was_stopped()) return false;
    if (reached_ != nullptr) reached_->store(reached, std::memory_order_relaxed);
    poll(reached, quanta_ % kQuantaUntilAll == 1);
  }
  run_instant_records_of_woken();
  return true;
}

void LiveCoordinator::poll(Ticks now, bool all) {
  while (const auto appeared = live_.appeared()) {
    const std::uint32_t thread = add_thread(*appeared);
    scheduler_.begin(thread, executor_.is_timed() ? now : 0);
    if (!executor_.is_timed()) executor_.add_untimed(thread, now);
  }
  if (sleepers_ == 0) return;
  for (std::uint32_t thread = 0; thread < scheduler_.threads(); ++thread)
    if (sleeps(thread) && (all || its(thread).sleeps_for[0] == 0) && live_.has_more(thread))
      wake_up(thread);
}

bool LiveCoordinator::wait_until_some_run(Ticks reached) {
  for (int turn = 0; turn < kIdleTurns || (turn < kBusyTurns && live_.some_run()); ++turn) {
    const bool has_ended = live_.has_ended();  // read before the last records are fetched
    poll(reached, true);
    if (scheduler_.some_are(State::runs)) return true;
    if (has_ended) {
      for (std::uint32_t thread = 0; thread < scheduler_.threads(); ++thread)
        if (sleeps(thread)) wake_up(thread);  // its next batch then ends it
      return sleepers_ != 0 || scheduler_.some_are(State::runs);
    }
    // No limit while all threads sleep for unknown reasons: that may take any time.
    if (!scheduler_.some_are(State::waits)) turn = 0;
    const timespec moment = {0, 100'000};
    ::nanosleep(&moment, nullptr);
  }
  return false;
}

std::uint32_t LiveCoordinator::add_thread(const ProgramThread& thread) {
  const std::uint32_t added = scheduler_.add_thread(thread);
  // The new thread may have made the system spread the others again, with their pages.
  if (const std::vector<LiveThreads::Move> moves = live_.moved_threads(); !moves.empty()) {
    move_threads(moves);
    move_pages();
  }
  return added;
}

void LiveCoordinator::create(std::uint32_t thread, const recording::StreamEvent& event) {
  const auto created = live_.create(thread, event.number);
  if (!created) return;
  const std::uint32_t child = add_thread(*created);
  if (!executor_.is_timed()) executor_.add_untimed_of(child, thread);
  scheduler_.begin(child, executor_.core(thread).now());
}

void LiveCoordinator::move_threads(const std::vector<LiveThreads::Move>& moves) {
  for (const LiveThreads::Move& move : moves)
    if (move.thread < scheduler_.threads()) scheduler_.move(move.thread, move.place);
}

void LiveCoordinator::move_pages() {
  for (const LiveThreads::Moved& moved : live_.moved_pages()) {
    if (moved.discarded)
      executor_.pages().discard(moved.process, moved.begin, moved.end);
    else
      executor_.pages().move_to_memory(moved.process, moved.begin, moved.end, moved.home);
  }
}

void LiveCoordinator::go_to_sleep(std::uint32_t thread, std::uint64_t key, std::uint64_t other) {
  Thread& sleeper = its(thread);
  sleeper.sleeps_for[0] = key;
  sleeper.sleeps_for[1] = other;
  sleeper.is_called = false;
  ++sleepers_;
  scheduler_.sleep(thread);
}

void LiveCoordinator::wake_up(std::uint32_t thread) {
  --sleepers_;
  scheduler_.wake_up(thread);
  woken_up_.push_back(thread);
}

void LiveCoordinator::run_instant_records_of_woken() {
  while (!woken_up_.empty()) {
    // In the order in which they would have run if awake.
    const auto first = std::ranges::min_element(woken_up_, {}, [&](std::uint32_t thread) {
      return std::pair(executor_.position(thread), thread);
    });
    const std::uint32_t thread = *first;
    woken_up_.erase(first);
    scheduler_.run_instant_records(thread);
  }
}

void LiveCoordinator::wake_sleepers(std::uint32_t thread, std::uint64_t key) {
  if (sleepers_ == 0) return;
  std::vector<std::uint32_t> called;
  for (std::uint32_t other = 0; other < scheduler_.threads(); ++other) {
    if (!sleeps(other) || executor_.process_of(other) != executor_.process_of(thread)) continue;
    Thread& sleeper = its(other);
    // A thread that waits for a signal needs the mutex afterwards, which is its second key.
    if (sleeper.sleeps_for[0] == key)
      sleeper.is_called = true;
    else if (key == kTasks ? !sleeper.is_in_runtime()
                           : !sleeper.is_called || sleeper.sleeps_for[1] != key)
      continue;
    called.push_back(other);
  }
  if (called.empty()) return;
  // This thread's next record shows that the event that resumes them has happened.
  if (!executor_.has_more(thread)) live_.wait_for_more(thread);
  live_.wait_for_records_of_each(called);
  for (const std::uint32_t other : called) wake_up(other);
}

void LiveCoordinator::wake_in_runtime(std::uint32_t thread) {
  if (sleepers_ == 0) return;
  std::vector<std::uint32_t> called;
  for (std::uint32_t other = 0; other < scheduler_.threads(); ++other)
    if (other != thread && sleeps(other) && its(other).is_in_runtime() &&
        executor_.process_of(other) == executor_.process_of(thread))
      called.push_back(other);
  if (called.empty()) return;
  live_.wait_for_records_of_each(called);
  for (const std::uint32_t other : called) wake_up(other);
}

void LiveCoordinator::expect_workers(std::uint32_t thread, const recording::StreamWait& expects) {
  const std::vector<Waits::Woken> there =
      regions_.release(expects.release, executor_.position(thread));
  scheduler_.wake(there);
  if (there.size() >= expects.count || sleepers_ == 0) return;
  std::vector<std::uint32_t> idle;
  std::size_t busy = 0;  // threads that may belong to the region and haven't arrived
  for (std::uint32_t other = 0; other < scheduler_.threads(); ++other) {
    if (other == thread || executor_.process_of(other) != executor_.process_of(thread)) continue;
    if (sleeps(other) && its(other).sleeps_for[0] == kIdle)
      idle.push_back(other);
    else if (scheduler_.state(other) != State::ended &&
             std::ranges::find(there, other, &Waits::Woken::thread) == there.end())
      ++busy;
  }
  // The run-time library decides which idle workers continue. The last argument is the number that
  // surely do, as the busy threads may be the others.
  const std::size_t needed = expects.count - there.size();
  live_.wait_for_records_of_some(idle, needed, needed - std::min(needed, busy));
  for (const std::uint32_t other : idle) wake_up(other);
}

void LiveCoordinator::may_sleep(std::uint32_t thread, const recording::StreamWait& asleep) {
  scheduler_.leave_core(thread);
  its(thread).is_idle = asleep.key == kIdle;
  if (!executor_.has_more(thread)) {
    if (asleep.key == kRegionEnds)
      live_.wait_for_more(thread);  // all have arrived: the thread surely continues
    else if (!live_.wait_for_records(thread))
      go_to_sleep(thread, asleep.key, asleep.other_key);
  }
  if (asleep.other_key == kWakesOthers) wake_in_runtime(thread);
}

bool LiveCoordinator::run(std::uint32_t thread, const recording::StreamWait& wait) {
  switch (wait.kind) {
    case recording::RecordKind::turn:
      return take_turn(thread, wait);
    case recording::RecordKind::expects:
      expect_workers(thread, wait);
      return true;
    case recording::RecordKind::asleep:
      may_sleep(thread, wait);
      return true;
    default:
      return true;
  }
}

bool LiveCoordinator::take_turn(std::uint32_t thread, const recording::StreamWait& turn) {
  if (turn.key != 0 && !scheduler_.is_woken(thread) && !released_since_turn(thread, turn.key)) {
    turn_waits_[{executor_.process_of(thread), turn.key}].push_back(thread);
    scheduler_.park(thread);
    return false;
  }
  if (!scheduler_.is_first(thread)) return false;
  scheduler_.take_woken(thread);
  its(thread).turn_at = releases_;
  live_.grant_turn(thread);
  return true;
}

bool LiveCoordinator::released_since_turn(std::uint32_t thread, std::uint64_t key) {
  const std::uint64_t since = its(thread).turn_at;
  if (releases_ - since > recent_releases_.size()) return true;  // too old: try once more
  const std::pair wanted(executor_.process_of(thread), key);
  for (std::uint64_t number = since; number < releases_; ++number)
    if (recent_releases_[number % recent_releases_.size()] == wanted) return true;
  return false;
}

void LiveCoordinator::resume_turn_waiters(std::uint32_t thread, std::uint64_t key,
                                          std::uint32_t count) {
  const std::pair released(executor_.process_of(thread), key);
  recent_releases_[releases_++ % recent_releases_.size()] = released;
  const auto found = turn_waits_.find(released);
  if (found == turn_waits_.end()) return;
  std::deque<std::uint32_t>& waiting = found->second;
  const Ticks now = executor_.position(thread);
  const std::size_t all = waiting.size();
  for (std::size_t i = 0; i < all && (count == 0 || i < count); ++i) {
    scheduler_.wake(waiting.front(), now);
    waiting.pop_front();
  }
  if (waiting.empty()) turn_waits_.erase(found);
}

void LiveCoordinator::released(std::uint32_t thread, std::uint64_t key, std::uint32_t count) {
  resume_turn_waiters(thread, key, count);
  wake_sleepers(thread, key);
  scheduler_.let_instant_records_follow(thread);
}

void LiveCoordinator::ended(std::uint32_t thread) {
  if (sleepers_ == 0) return;
  if (const std::uint64_t number = live_.number_of(thread); number != 0)
    wake_sleepers(thread, number);
}

void LiveCoordinator::forget(std::uint32_t thread) {
  for (auto& [key, waiting] : turn_waits_) std::erase(waiting, thread);
  regions_.forget(thread);
}

}  // namespace Atoll::simulate
