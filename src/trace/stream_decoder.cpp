#include "trace/stream_decoder.hpp"

#include "trace/timed_records.hpp"

#include <algorithm>
#include <iterator>

namespace Atoll::trace {
namespace {

namespace rec = recorder;
using rec::RecordKind;
using rec::WordKind;

enum class Fields { none, memory, task };

struct KindRow {
  RecordKind record;
  StreamEvent::Kind event;
  Fields fields = Fields::none;
};
constexpr KindRow kKinds[] = {
    {RecordKind::clock, StreamEvent::Kind::clock},
    {RecordKind::thread_created, StreamEvent::Kind::thread_created},
    {RecordKind::thread_begun, StreamEvent::Kind::thread_begun},
    {RecordKind::thread_ended, StreamEvent::Kind::thread_ended},
    {RecordKind::thread_joined, StreamEvent::Kind::thread_joined},
    {RecordKind::allocated, StreamEvent::Kind::allocated, Fields::memory},
    {RecordKind::freed, StreamEvent::Kind::freed, Fields::memory},
    {RecordKind::mapped, StreamEvent::Kind::mapped, Fields::memory},
    {RecordKind::unmapped, StreamEvent::Kind::unmapped, Fields::memory},
    {RecordKind::mark_begin, StreamEvent::Kind::mark_begin},
    {RecordKind::mark_end, StreamEvent::Kind::mark_end},
    {RecordKind::mark_iteration, StreamEvent::Kind::mark_iteration},
    {RecordKind::task_begun, StreamEvent::Kind::task_begun, Fields::task},
    {RecordKind::task_ended, StreamEvent::Kind::task_ended},
};

/// Returns null for a kind that is newer than this reader.
const KindRow* row_of(RecordKind kind) {
  const auto* row = std::ranges::find(kKinds, kind, &KindRow::record);
  return row == std::end(kKinds) ? nullptr : row;
}

Access access_of(std::uint64_t word) {
  return {rec::address_of(word), rec::bytes_of(word), rec::is_write_of(word)};
}

}  // namespace

bool StreamDecoder::add(std::span<const std::uint64_t> words, Room& room,
                        const ThreadsOfEvents* threads, Consumer& consumer) {
  for (std::size_t i = 0; i < words.size();) {
    if (left_ == 0) {
      if (rec::kind_of(words[i]) == WordKind::access) {
        if (!loop_.empty()) give_loop(room, consumer);
        while (i < words.size() && rec::kind_of(words[i]) == WordKind::access) {
          const std::size_t n = std::min(words.size() - i, kMaxAccesses - ready_);
          std::size_t k = 0;
          for (; k < n && rec::kind_of(words[i + k]) == WordKind::access; ++k)
            room[ready_ + k] = access_of(words[i + k]);
          ready_ += k;
          i += k;
          if (ready_ == kMaxAccesses) flush(room, consumer);
        }
        continue;
      }
      if (!begin_record(words[i++])) return false;
    } else {
      const std::size_t n = std::min<std::uint64_t>(words.size() - i, left_);
      for (std::size_t k = 0; k < n && seen_ + k < std::size(record_); ++k)
        record_[seen_ + k] = words[i + k];
      seen_ += n;
      left_ -= n;
      i += n;
    }
    if (left_ == 0) end_record(room, threads, consumer);
  }
  flush(room, consumer);
  return true;
}

void StreamDecoder::finish(Room& room, Consumer& consumer) {
  give_loop(room, consumer);
  flush(room, consumer);
}

bool StreamDecoder::begin_record(std::uint64_t word) {
  if (rec::kind_of(word) > WordKind::other) return false;
  record_[0] = word;
  seen_ = 1;
  left_ = rec::following_of(word);
  return true;
}

void StreamDecoder::end_record(Room& room, const ThreadsOfEvents* threads, Consumer& consumer) {
  if (rec::kind_of(record_[0]) == WordKind::other) return end_event(room, threads, consumer);
  const std::uint64_t loop = record_[3];
  if (loop == 0 || loop != loop_number_) give_loop(room, consumer);
  loop_number_ = loop;
  const Access first = access_of(record_[0]);
  loop_.push_back(
      {first.address, static_cast<std::int64_t>(record_[1]), record_[2], first.bytes, first.write});
}

void StreamDecoder::end_event(Room& room, const ThreadsOfEvents* threads, Consumer& consumer) {
  if (end_timed(room, consumer)) return;
  const KindRow* row = row_of(rec::record_kind_of(record_[0]));
  if (row == nullptr || seen_ < (row->fields == Fields::none ? 2U : 4U)) return;
  give_loop(room, consumer);
  flush(room, consumer);
  StreamEvent event{.kind = row->event, .number = record_[1]};
  if (row->fields == Fields::memory) {
    event.address = record_[2];
    event.bytes = record_[3];
  } else if (row->fields == Fields::task) {
    event.loop = static_cast<std::uint32_t>(record_[2]);
    event.task = record_[3];
  }
  if (threads != nullptr && !event.is_clock())
    if (const auto found = threads->find(event.number); found != threads->end())
      event.thread = found->second;
  consumer.event(stream_, event);
}

bool StreamDecoder::end_timed(Room& room, Consumer& consumer) {
  const auto kind = static_cast<unsigned>(rec::record_kind_of(record_[0]));
  if (kind < 80 || kind >= 112) return false;
  const std::size_t words = std::min<std::size_t>(seen_, kMaxWords);
  StreamWait wait;
  StreamPlacement call;
  if (!wait_of(std::span(record_).first(words), wait) &&
      !placement_of(std::span(record_).first(words), call))
    return true;
  give_loop(room, consumer);
  flush(room, consumer);
  if (kind < 96)
    consumer.wait(stream_, wait);
  else
    consumer.place(stream_, call);
  return true;
}

void StreamDecoder::give_loop(Room& room, Consumer& consumer) {
  if (loop_.empty()) return;
  if (ranges_) {
    flush(room, consumer);
    consumer.loop(stream_, loop_);
    loop_.clear();
    return;
  }
  std::uint64_t iterations = 0;
  for (const AccessRange& range : loop_) iterations = std::max(iterations, range.n);
  const bool as_long =
      std::ranges::all_of(loop_, [&](const AccessRange& range) { return range.n == iterations; });
  for (std::uint64_t i = 0; i < iterations; ++i)
    for (AccessRange& range : loop_) {
      if (!as_long && i >= range.n) continue;
      give({range.address, range.bytes, range.write}, room, consumer);
      range.address += static_cast<std::uint64_t>(range.step);
    }
  loop_.clear();
}

void StreamDecoder::flush(const Room& room, Consumer& consumer) {
  if (ready_ != 0) consumer.accesses(stream_, std::span(room).first(ready_));
  ready_ = 0;
}

}  // namespace Atoll::trace
