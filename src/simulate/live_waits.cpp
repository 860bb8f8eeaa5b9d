// What the threads of a program that runs do meanwhile: whether they go on, sleep or have ended.
#include <sched.h>

#include <algorithm>
#include <unordered_map>

#include "atoll/base/error.hpp"
#include "simulate/live_program.hpp"
#include "simulate/live_time.hpp"

namespace Atoll::simulate {

bool LiveProgram::next(std::uint32_t thread, Batch& batch) {
  batch_ = &batch;
  decoding_ = thread;
  Thread& its = threads_[thread];
  if (its.has_ended || !has_begun(thread)) {
    its.has_ended = true;
    return false;
  }
  for (UnseenSleep sleep;;) {
    if (streams_.take(its.stream, words_)) {
      if (!its.decoder->add(words_, *room_, nullptr, *this))
        throw Error::failed("the stream of a thread", "was written over by the program");
      if (!batch.ops.empty()) return true;
      sleep = {};
      continue;
    }
    if (sleep.turns++ < kYields) {
      ::sched_yield();
      continue;
    }
    const trace::LiveStreams::State state = streams_.state(its.stream);
    if (streams_.has_words(its.stream)) continue;
    if (state == trace::LiveStreams::State::ended) {
      its.has_ended = true;
      its.decoder->finish(*room_, *this);
      return !batch.ops.empty();
    }
    if (sleeps_unseen(its.stream, sleep) && !streams_.has_words(its.stream)) {
      has_slept_ = true;
      return true;
    }
    pause_shortly();
  }
}

bool LiveProgram::sleeps_unseen(std::uint32_t stream, UnseenSleep& sleep) const {
  using State = trace::LiveStreams::State;
  if (streams_.state(stream) == State::runs) {
    sleep.since = 0;
    return false;
  }
  const std::uint64_t now = now_ns(), switches = streams_.switches(stream);
  if (sleep.since == 0 || switches != sleep.switches) {
    sleep.since = now;
    sleep.switches = switches;
    sleep.quiet_since = 0;
    return false;
  }
  const std::uint64_t enough = some_wait_for_room() ? kUnseenWait : kUnseenSleep;
  if (now - sleep.since < enough) return false;
  if (now - sleep.since > kSureWait) return true;
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
  return now - sleep.quiet_since > enough && streams_.state(stream) == State::sleeps;
}

bool LiveProgram::was_stopped() {
  if (!streams_.was_stopped()) return false;
  if (stopped_ns_ == 0) stopped_ns_ = now_ns();
  return now_ns() - stopped_ns_ > kAfterStop;
}

bool LiveProgram::some_wait_for_room() const {
  return std::ranges::any_of(threads_, [this](const Thread& one) {
    return !one.has_ended && one.stream != kNone && streams_.is_full(one.stream);
  });
}

bool LiveProgram::some_run() const {
  return std::ranges::any_of(threads_, [this](const Thread& one) {
    return !one.has_ended && one.stream != kNone && !streams_.is_full(one.stream) &&
           streams_.state(one.stream) == trace::LiveStreams::State::runs;
  });
}

std::uint64_t LiveProgram::switches_of_all() const {
  std::uint64_t all = 0;
  for (const Thread& one : threads_)
    if (!one.has_ended && one.stream != kNone) all += streams_.switches(one.stream);
  return all;
}

bool LiveProgram::has_more(std::uint32_t thread) {
  const Thread& its = threads_[thread];
  return its.has_ended || (its.stream != kNone && streams_.has_words(its.stream));
}

bool LiveProgram::is_asleep(std::uint32_t thread) const {
  const std::uint32_t stream = threads_[thread].stream;
  return streams_.state(stream) == trace::LiveStreams::State::sleeps && streams_.is_asleep(stream);
}

bool LiveProgram::settles(std::uint32_t thread) {
  std::vector<std::uint32_t> one{thread};
  settle(one);
  return !one.empty();
}

void LiveProgram::settle(std::vector<std::uint32_t>& threads) {
  std::vector<std::uint32_t> open, done;  // in their order
  for (const std::uint32_t thread : threads) (has_begun(thread) ? open : done).push_back(thread);
  std::unordered_map<std::uint32_t, int> asleep;  // how often in a row
  const std::uint64_t began = now_ns();
  const auto is_open = [&](std::uint32_t thread) {
    const std::uint32_t stream = threads_[thread].stream;
    const trace::LiveStreams::State state = streams_.state(stream);
    if (streams_.has_words(stream) || state == trace::LiveStreams::State::ended) {
      done.push_back(thread);
      return false;
    }
    const bool sleeps = is_asleep(thread);
    // Twice: it may have slept for the emulator's own ends.
    asleep[thread] = sleeps ? asleep[thread] + 1 : 0;
    return asleep[thread] < 2;
  };
  while (!open.empty() && now_ns() - began < kSureWait) {
    std::erase_if(open, [&](std::uint32_t thread) { return !is_open(thread); });
    if (!open.empty()) pause_shortly();
  }
  std::ranges::sort(done);
  threads = std::move(done);
}

void LiveProgram::wait_for_some(std::vector<std::uint32_t>& threads, std::size_t count) {
  const std::uint64_t began = now_ns();
  std::vector<std::uint32_t> done;
  // One may let the next one go on: as long as one is awake, all may be needed.
  for (int asleep = 0; asleep < 2;) {
    done.clear();
    bool some_run = false;
    for (const std::uint32_t thread : threads) {
      if (has_more(thread))
        done.push_back(thread);
      else
        some_run = some_run || !is_asleep(thread);
    }
    if (done.size() >= std::min(count, threads.size()) || now_ns() - began > kSureWait) break;
    asleep = some_run ? 0 : asleep + 1;
    pause_shortly();
  }
  threads = std::move(done);
}

void LiveProgram::wait_for_more(std::uint32_t thread) {
  if (!has_begun(thread)) return;
  const std::uint32_t stream = threads_[thread].stream;
  const std::uint64_t began = now_ns();
  while (!streams_.has_words(stream) && now_ns() - began < kSureWait) {
    // (Of a thread that ends, others know when it is gone.)
    if (streams_.state(stream) == trace::LiveStreams::State::ended && streams_.is_gone(stream))
      return;
    pause_shortly();
  }
}

void LiveProgram::give_turn(std::uint32_t thread) {
  if (!has_begun(thread)) return;
  const std::uint32_t stream = threads_[thread].stream;
  streams_.give_turn(stream);
  for (UnseenSleep sleep; !streams_.is_turn_over(stream);) {
    if (sleep.turns++ < kYields) {
      ::sched_yield();
      continue;
    }
    // It may have ended, or wait for what others do.
    if (streams_.state(stream) == trace::LiveStreams::State::ended) return;
    if (sleeps_unseen(stream, sleep) && !streams_.is_turn_over(stream)) return;
    pause_shortly();
  }
}

}  // namespace Atoll::simulate
