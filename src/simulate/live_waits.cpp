// State of a live program's threads: whether they continue, sleep or have ended.
#include <sched.h>

#include <algorithm>

#include "atoll/base/error.hpp"
#include "simulate/interruption.hpp"
#include "simulate/live_program.hpp"
#include "simulate/live_time.hpp"

namespace Atoll::simulate {

bool LiveProgram::next(std::uint32_t thread, Batch& batch) {
  batch_ = &batch;
  decoding_ = thread;
  Thread& its = threads_[thread];
  its.styles.begin(batch);
  if (its.has_ended || !has_begun(thread)) {
    its.has_ended = true;
    return false;
  }
  for (UnseenSleep sleep;;) {
    if (streams_.take(its.stream, words_)) {
      if (!its.decoder->add(words_, *room_, nullptr, *this))
        throw Error::failed("the stream of a thread", "was written over by the program");
      if (!batch.is_empty()) return true;
      sleep = {};
      continue;
    }
    if (sleep.turns++ < kYields) {
      ::sched_yield();
      continue;
    }
    const recording::LiveStreams::State state = streams_.state(its.stream);
    if (streams_.has_words(its.stream)) continue;
    if (state == recording::LiveStreams::State::ended) {
      its.has_ended = true;
      its.decoder->finish(*room_, *this);
      return !batch.is_empty();
    }
    if (sleeps_unseen(its.stream, sleep) && !streams_.has_words(its.stream)) {
      has_slept_ = true;
      return true;
    }
    pause_shortly();
  }
}

LiveProgram::Since LiveProgram::since_now(std::uint32_t stream) const {
  return {now_ns(), streams_.processor_ns(stream)};
}

bool LiveProgram::is_too_long(std::uint32_t stream, const Since& since) const {
  const std::uint64_t waited = now_ns() - since.now;
  return waited > kIdleWait ||
         (waited > kSureWait && streams_.processor_ns(stream) > since.processor + kSureWait);
}

bool LiveProgram::sleeps_unseen(std::uint32_t stream, UnseenSleep& sleep) {
  using State = recording::LiveStreams::State;
  if (streams_.state(stream) == State::runs && streams_.condition_checks(stream) == 0) {
    sleep.since = {};
    return spins(stream, sleep);
  }
  const std::uint64_t now = now_ns();
  if (creates_tasks_ && now >= sleep.next_look) {
    if (streams_.all_wait()) return true;
    sleep.pause = std::min(2 * sleep.pause + kShortestPause, kUnseenWait);
    sleep.next_look = now + sleep.pause;
  }
  const std::uint64_t switches = streams_.switches(stream);
  if (sleep.since.now == 0 || switches != sleep.switches) {
    sleep.since = since_now(stream);
    sleep.switches = switches;
    sleep.quiet_since = 0;
    return false;
  }
  const std::uint64_t enough = some_are_held() ? kUnseenWait : kUnseenSleep;
  if (now - sleep.since.now < enough) return false;
  if (is_too_long(stream, sleep.since)) return true;
  if (some_run()) {
    sleep.quiet_since = 0;
    return false;
  }
  const std::uint64_t all = switches_of_all();
  if (sleep.quiet_since == 0 || all != sleep.all_switches) {
    sleep.quiet_since = now;
    sleep.all_switches = all;
    return false;
  }
  return now - sleep.quiet_since > enough && !some_run() && streams_.state(stream) == State::sleeps;
}

bool LiveProgram::spins(std::uint32_t stream, UnseenSleep& sleep) const {
  const std::uint64_t now = now_ns();
  if (sleep.runs_since == 0) sleep.runs_since = now;
  if (now - sleep.runs_since < kSpin) return false;
  const std::uint64_t ran = streams_.thread_ns(stream);
  if (sleep.ran == 0) sleep.ran = ran;
  return ran - sleep.ran > kSpin && some_are_held();
}

bool LiveProgram::was_stopped() {
  // A program that handles the signal decides itself when it ends.
  if (!streams_.was_stopped() && !(streams_.has_ended() && Interruption::has_come())) return false;
  if (stopped_ns_ == 0) stopped_ns_ = now_ns();
  return now_ns() - stopped_ns_ > kAfterStop;
}

bool LiveProgram::some_are_held() const {
  return std::ranges::any_of(threads_, [this](const Thread& one) {
    return !one.has_ended && one.stream != kNone && streams_.is_held(one.stream);
  });
}

bool LiveProgram::can_go_on(const Thread& one) const {
  return !one.has_ended && one.stream != kNone && !streams_.is_held(one.stream);
}

bool LiveProgram::some_run() {
  const auto runs = [this](const Thread& one) {
    return can_go_on(one) && streams_.state(one.stream) == recording::LiveStreams::State::runs;
  };
  // First the known threads, as that check is cheaper.
  return std::ranges::any_of(threads_, runs) || streams_.some_run();
}

std::uint64_t LiveProgram::switches_of_all() const {
  std::uint64_t all = 0;
  for (const Thread& one : threads_)
    if (can_go_on(one)) all += streams_.switches(one.stream);
  return all;
}

bool LiveProgram::has_more(std::uint32_t thread) {
  const Thread& its = threads_[thread];
  return its.has_ended || (its.stream != kNone && streams_.has_words(its.stream));
}

bool LiveProgram::is_asleep(std::uint32_t thread) const {
  const std::uint32_t stream = threads_[thread].stream;
  return streams_.state(stream) == recording::LiveStreams::State::sleeps &&
         streams_.is_asleep(stream) &&
         (streams_.condition_checks(stream) == 0 || streams_.is_blocked(stream));
}

bool LiveProgram::wait_for_records(std::uint32_t thread) {
  std::vector<std::uint32_t> one{thread};
  wait_for_records_of_each(one);
  return !one.empty();
}

void LiveProgram::wait_for_records_of_each(std::vector<std::uint32_t>& threads) {
  struct Open {
    std::uint32_t thread;
    int asleep = 0;  ///< number of consecutive polls that saw it asleep
    std::uint32_t condition_checks =
        0;  ///< of a thread that waits in a loop: condition_checks() when first seen
    UnseenSleep unseen;
  };
  std::vector<std::uint32_t> done;  // sorted at the end
  std::vector<Open> open;
  for (const std::uint32_t thread : threads) {
    if (has_begun(thread))
      open.push_back({.thread = thread, .unseen = {}});
    else
      done.push_back(thread);
  }
  const auto is_decided = [&](Open& one) {
    const std::uint32_t stream = threads_[one.thread].stream;
    const recording::LiveStreams::State state = streams_.state(stream);
    if (streams_.has_words(stream) || state == recording::LiveStreams::State::ended) {
      done.push_back(one.thread);
      return true;
    }
    if (const std::uint32_t condition_checks = streams_.condition_checks(stream);
        condition_checks != 0) {
      if (one.condition_checks == 0 || condition_checks < one.condition_checks)
        one.condition_checks = condition_checks;
      if (condition_checks >= one.condition_checks + 2) return true;
    }
    one.asleep = is_asleep(one.thread) ? one.asleep + 1 : 0;
    return one.asleep == 2 || (one.asleep == 0 && sleeps_unseen(stream, one.unseen));
  };
  std::erase_if(open, is_decided);
  if (!open.empty()) {
    const std::uint32_t first = threads_[open.front().thread].stream;
    for (const Since since = since_now(first); !open.empty() && !is_too_long(first, since);) {
      pause_shortly();
      std::erase_if(open, is_decided);
    }
  }
  std::ranges::sort(done);
  threads = std::move(done);
}

void LiveProgram::wait_for_records_of_some(std::vector<std::uint32_t>& threads, std::size_t count,
                                           std::size_t sure) {
  std::vector<std::uint32_t> done;
  std::vector<UnseenSleep> unseen(threads.size());
  const std::uint32_t first = threads.empty() ? kNone : threads_[threads.front()].stream;
  const Since since = threads.empty() ? Since{} : since_now(first);
  // A thread may wake the next one. So as long as one is awake, the others may still be needed.
  for (int asleep = 0; asleep < 2;) {
    done.clear();
    bool is_one_awake = false;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      if (has_more(threads[i]))
        done.push_back(threads[i]);
      else if (!is_one_awake && !is_asleep(threads[i]))
        is_one_awake = !sleeps_unseen(threads_[threads[i]].stream, unseen[i]);
    }
    if (done.size() >= std::min(count, threads.size()) || is_too_long(first, since)) break;
    // A thread that another one has woken may wait for a lock of that thread for a moment.
    asleep = is_one_awake || done.size() < std::min(sure, threads.size()) ? 0 : asleep + 1;
    pause_shortly();
  }
  threads = std::move(done);
}

void LiveProgram::wait_for_more(std::uint32_t thread) {
  if (!has_begun(thread)) return;
  const std::uint32_t stream = threads_[thread].stream;
  const Since since = since_now(stream);
  UnseenSleep unseen;
  while (!streams_.has_words(stream)) {
    // A thread that ends becomes visible to others only when the kernel has removed it.
    if (streams_.state(stream) == recording::LiveStreams::State::ended && streams_.is_gone(stream))
      return;
    if (is_too_long(stream, since) || sleeps_unseen(stream, unseen)) return;
    pause_shortly();
  }
}

void LiveProgram::grant_turn(std::uint32_t thread) {
  if (!has_begun(thread)) return;
  const std::uint32_t stream = threads_[thread].stream;
  answer(thread);
  streams_.grant_turn(stream);
  for (UnseenSleep sleep; !streams_.has_turn_ended(stream);) {
    if (sleep.turns++ < kYields) {
      ::sched_yield();
      continue;
    }
    // It may have ended, or it waits for other threads.
    if (streams_.state(stream) == recording::LiveStreams::State::ended) return;
    if (sleeps_unseen(stream, sleep) && !streams_.has_turn_ended(stream)) return;
    pause_shortly();
  }
}

}  // namespace Atoll::simulate
