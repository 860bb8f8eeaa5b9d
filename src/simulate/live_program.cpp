#include "simulate/live_program.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "atoll/base/error.hpp"

namespace Atoll::simulate {
namespace {

namespace rec = trace::recorder;

constexpr std::uint64_t kMillisecond = 1'000'000;
/// A thread that has slept for so long, and nothing tells for what, sleeps: less if it may wait for
/// one that waits to be simulated (for a lock of the emulator's or of libc's own).
constexpr std::uint64_t kUnseenSleep = 20 * kMillisecond, kUnseenWait = kMillisecond;
/// For so long is waited for what is sure to happen, if the program does as libraries do.
constexpr std::uint64_t kSureWait = 2'000 * kMillisecond;

std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void pause() {
  const timespec moment = {0, 20'000};
  ::nanosleep(&moment, nullptr);
}

}  // namespace

LiveProgram::LiveProgram(trace::LiveStreams& streams, const Machine& machine, const Model& model,
                         const Options& options, const ThreadPlaces& places, bool tells_work,
                         Placed placed)
    : streams_(streams),
      machine_(machine),
      model_(model),
      options_(options),
      places_(places),
      tells_work_(tells_work),
      placed_(std::move(placed)),
      placement_(machine, model, options,
                 [&] {
                   std::vector<std::uint32_t> nodes;
                   for (const ThreadPlace& place : places)
                     nodes.push_back(model.seats.at(place.pu).node);
                   return nodes;
                 }()),
      objects_(streams, options),
      calls_(model),
      user_(places.size(), kNone),
      room_(std::make_unique<trace::StreamDecoder::Room>()) {}

std::uint32_t LiveProgram::free_place() {
  const auto is_free = [&](std::uint32_t user) {
    return user == kNone || (threads_[user].has_ended && threads_[user].is_joined);
  };
  auto free = std::ranges::find_if(user_, is_free);
  // Threads that nobody joins leave their places, too, when there are no others.
  if (free == user_.end())
    free =
        std::ranges::find_if(user_, [&](std::uint32_t user) { return threads_[user].has_ended; });
  if (free == user_.end())
    throw Error::input(machine_.name(),
                       fmt::format("shows {} processing units, and the program runs more threads "
                                   "at a time",
                                   user_.size()),
                       "tell the program to make fewer, or give --threads or a larger machine");
  return static_cast<std::uint32_t>(free - user_.begin());
}

std::uint32_t LiveProgram::add(std::uint32_t stream, rec::Offset process) {
  const auto thread = static_cast<std::uint32_t>(threads_.size());
  Thread& added = threads_.emplace_back(OpsOfStream(tells_work_));
  added.process = process;
  added.place = free_place();
  user_[added.place] = thread;
  processes_.try_emplace(process, static_cast<std::uint32_t>(processes_.size()));
  const auto lives = [](const Thread& one) { return !one.has_ended; };
  most_ = std::max(most_, static_cast<std::size_t>(std::ranges::count_if(threads_, lives)));
  if (stream != kNone) begun(thread, stream);
  return thread;
}

void LiveProgram::begun(std::uint32_t thread, std::uint32_t stream) {
  threads_[thread].stream = stream;
  threads_[thread].decoder = std::make_unique<trace::StreamDecoder>(stream, true);
  of_stream_.resize(std::max<std::size_t>(of_stream_.size(), stream + 1), kNone);
  of_stream_[stream] = thread;
  placed_(streams_.about(stream).tid, threads_[thread].place);
}

ProgramThread LiveProgram::as_program_thread(std::uint32_t thread) {
  return {.process =
              static_cast<std::uint32_t>(processes_.at(threads_[thread].process) % kMostProcesses),
          .place = threads_[thread].place,
          .starts_alone = true};
}

std::optional<ProgramThread> LiveProgram::create(std::uint32_t creator, std::uint64_t number) {
  if (streams_.created(threads_[creator].process, number).was_refused) return std::nullopt;
  const std::uint32_t thread = add(kNone, threads_[creator].process);
  threads_[thread].created_event = number;
  threads_[thread].creator = creator;
  return as_program_thread(thread);
}

bool LiveProgram::has_begun(std::uint32_t thread) {
  Thread& its = threads_[thread];
  while (its.stream == kNone) {
    const bool over = streams_.has_ended();
    const trace::LiveStreams::Created created = streams_.created(its.process, its.created_event);
    if (created.stream) {
      begun(thread, *created.stream);
    } else if (created.was_refused || over) {
      return false;
    } else {
      pause();
    }
  }
  return true;
}

std::optional<ProgramThread> LiveProgram::appeared() {
  const std::uint32_t count = streams_.count();
  of_stream_.resize(std::max<std::size_t>(of_stream_.size(), count), kNone);
  while (seen_ns_.size() < count) seen_ns_.push_back(now_ns());
  for (std::uint32_t stream = 0; stream < count; ++stream) {
    if (of_stream_[stream] != kNone) continue;
    // Threads are begun by who creates them. One that nobody is seen to create may not wait for
    // ever.
    const trace::LiveStreams::About about = streams_.about(stream);
    if (!about.is_first && now_ns() - seen_ns_[stream] < kSureWait) continue;
    if (!about.is_first && (!streams_.has_words(stream) || streams_.was_created(stream))) continue;
    return as_program_thread(add(stream, about.process));
  }
  return std::nullopt;
}

bool LiveProgram::next(std::uint32_t thread, Batch& batch) {
  batch_ = &batch;
  decoding_ = thread;
  Thread& its = threads_[thread];
  if (its.has_ended || !has_begun(thread)) {
    its.has_ended = true;
    return false;
  }
  std::uint64_t slept_since = 0, switches = 0;
  for (int turn = 0;; ++turn) {
    if (streams_.take(its.stream, words_)) {
      if (!its.decoder->add(words_, *room_, nullptr, *this))
        throw Error::failed("the stream of a thread", "was written over by the program");
      if (!batch.ops.empty()) return true;
      slept_since = 0;
      continue;
    }
    if (turn < 50) {
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
    if (state == trace::LiveStreams::State::runs) {
      slept_since = 0;
    } else {
      const std::uint64_t now = now_ns(), switched = streams_.switches(its.stream);
      if (slept_since == 0 || switched != switches) {
        slept_since = now;
        switches = switched;
      } else if (now - slept_since > (some_wait_for_room() ? kUnseenWait : kUnseenSleep)) {
        has_slept_ = true;
        return true;
      }
    }
    pause();
  }
}

bool LiveProgram::some_wait_for_room() const {
  return std::ranges::any_of(threads_, [this](const Thread& one) {
    return !one.has_ended && one.stream != kNone && streams_.is_full(one.stream);
  });
}

bool LiveProgram::has_more(std::uint32_t thread) {
  const Thread& its = threads_[thread];
  return its.has_ended || (its.stream != kNone && streams_.has_words(its.stream));
}

bool LiveProgram::settles(std::uint32_t thread) {
  if (!has_begun(thread)) return true;
  const std::uint32_t stream = threads_[thread].stream;
  const std::uint64_t began = now_ns();
  for (int sleeping = 0;;) {
    if (streams_.has_words(stream)) return true;
    switch (streams_.state(stream)) {
      case trace::LiveStreams::State::ended:
        return true;
      case trace::LiveStreams::State::sleeps:
        // Twice: it may have slept for the emulator's own ends.
        if (streams_.is_asleep(stream) && ++sleeping == 2) return streams_.has_words(stream);
        break;
      case trace::LiveStreams::State::runs:
        sleeping = 0;
        break;
    }
    if (now_ns() - began > kSureWait) return false;
    pause();
  }
}

void LiveProgram::wait_for_more(std::uint32_t thread) {
  if (!has_begun(thread)) return;
  const std::uint32_t stream = threads_[thread].stream;
  const std::uint64_t began = now_ns();
  while (!streams_.has_words(stream) && now_ns() - began < kSureWait) {
    // (Of a thread that ends, others know when it is gone.)
    if (streams_.state(stream) == trace::LiveStreams::State::ended && streams_.is_gone(stream))
      return;
    pause();
  }
}

std::uint64_t LiveProgram::number_of(std::uint32_t thread) {
  const std::uint32_t stream = threads_[thread].stream;
  return stream == kNone ? 0 : streams_.about(stream).number;
}

std::uint32_t LiveProgram::thread_called(rec::Offset process, std::uint64_t number) {
  const std::uint64_t began = now_ns();
  do {  // it may not have begun
    bool some_begin = false;
    for (std::uint32_t thread = static_cast<std::uint32_t>(threads_.size()); thread > 0; --thread) {
      const Thread& one = threads_[thread - 1];
      if (one.process != process) continue;
      some_begin = some_begin || one.stream == kNone;
      if (one.stream == kNone) {
        const auto created = streams_.created(process, one.created_event);
        if (created.stream) begun(thread - 1, *created.stream);
      }
      if (one.stream == kNone) continue;
      const trace::LiveStreams::About about = streams_.about(one.stream);
      if (about.number == number || static_cast<std::uint64_t>(about.tid) == number)
        return thread - 1;
    }
    if (!some_begin) break;
    pause();
  } while (now_ns() - began < kSureWait);
  return kNone;
}

std::optional<std::uint32_t> LiveProgram::joined(std::uint32_t joiner, std::uint64_t number) {
  const rec::Event* const event = streams_.event(threads_[joiner].stream, number);
  rec::Joined joined{};
  if (event == nullptr || event->bytes < sizeof joined) return std::nullopt;
  std::memcpy(&joined, event + 1, sizeof joined);
  const std::uint32_t thread = thread_called(threads_[joiner].process, joined.number);
  if (thread == kNone) return std::nullopt;
  threads_[thread].is_joined = true;
  return thread;
}

const LiveObjects::Found& LiveProgram::found_at(std::uint32_t thread, std::uint64_t address) {
  Thread& its = threads_[thread];
  for (const LiveObjects::Found& found : its.found)
    if (address >= found.begin && address < found.end && found.version == objects_.version())
      return found;
  its.next_found = (its.next_found + 1) % std::size(its.found);
  return its.found[its.next_found] = objects_.find(its.process, address);
}

std::uint32_t LiveProgram::object_of(std::uint32_t thread, std::uint64_t address) {
  const std::uint32_t object = found_at(thread, address).object;
  return object == kNone ? 0 : object + 1;
}

Program::Span LiveProgram::span_of_object(std::uint32_t thread, std::uint64_t address) {
  const LiveObjects::Found& found = found_at(thread, address);
  return {found.begin, found.end};
}

void LiveProgram::accesses(std::uint32_t /*stream*/, std::span<const trace::Access> accesses) {
  threads_[decoding_].ops.append(*batch_, accesses);
}

void LiveProgram::style(std::uint32_t /*stream*/, std::uint32_t number,
                        const trace::AccessStyle& style) {
  threads_[decoding_].ops.style(number, style);
}

void LiveProgram::work(std::uint32_t /*stream*/, const trace::StreamWork& work) {
  batch_->ops.push_back(op_of(work));
}

void LiveProgram::loop(std::uint32_t /*stream*/, std::span<const trace::AccessRange> parts) {
  threads_[decoding_].ops.append_loop(*batch_, parts);
}

void LiveProgram::event(std::uint32_t /*stream*/, const trace::StreamEvent& event) {
  using Kind = trace::StreamEvent::Kind;
  switch (event.kind) {
    case Kind::thread_created:
      batch_->ops.push_back({.kind = Op::Kind::create, .address = event.number});
      return;
    case Kind::thread_joined:
      batch_->ops.push_back({.kind = Op::Kind::join, .address = event.number});
      return;
    case Kind::allocated:
    case Kind::freed:
    case Kind::mapped:
    case Kind::unmapped:
      threads_[decoding_].happenings.emplace_back(event);
      batch_->ops.push_back({.kind = Op::Kind::clock});
      return;
    default:
      append_mark(*batch_, event.kind, options_, iterations_);
  }
}

void LiveProgram::wait(std::uint32_t /*stream*/, const trace::StreamWait& wait) {
  batch_->ops.push_back(op_of(wait));
}

void LiveProgram::place(std::uint32_t /*stream*/, const trace::StreamPlacement& call) {
  Call kept{call, {call.mask.begin(), call.mask.end()}};
  kept.call.mask = {};
  const bool binds = call.kind == trace::StreamPlacement::Kind::bound;
  threads_[decoding_].happenings.emplace_back(std::move(kept));
  batch_->ops.push_back({.kind = binds ? Op::Kind::bind : Op::Kind::clock});
}

}  // namespace Atoll::simulate
