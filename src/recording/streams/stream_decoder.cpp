#include "recording/streams/stream_decoder.hpp"

#include "atoll/base/units.hpp"
#include "recording/streams/stream_records.hpp"

#include <algorithm>
#include <iterator>

namespace Atoll::recording {
namespace {

using record::RecordGroup;
using record::WordKind;

Access access_of(std::uint64_t word) {
  return {record::address_of(word), record::bytes_of(word), record::is_write_of(word),
          static_cast<std::uint8_t>(record::style_index_of_access(word))};
}

/// Maximum number of ranges in one loop of a valid stream.
constexpr std::size_t kMaxParts = 1 << 16;

}  // namespace

std::uint64_t most_bytes_of(const Recording& recording) {
  // Upper bound: three 64-byte vectors in each cycle are 1e12 bytes a second; the run's time is
  // inexact.
  constexpr double kBytesInASecond = 2e12, kMaxSeconds = 1e6;
  const double seconds = recording.elapsed_seconds;
  return kGiB + static_cast<std::uint64_t>(kBytesInASecond *
                                           (seconds > 0 ? std::min(seconds, kMaxSeconds) : 0));
}

bool StreamDecoder::add(std::span<const std::uint64_t> words, Room& room,
                        const ThreadsOfEvents* threads, Consumer& consumer) {
  for (std::size_t i = 0; i < words.size();) {
    if (left_ == 0) {
      if (record::kind_of(words[i]) == WordKind::access) {
        if (has_steps_) {
          const std::uint8_t steps = steps_[record::style_index_of_access(words[i])];
          if (steps != 0) step(steps, room, consumer);
          if (!is_stepped_ && !loop_.empty()) give_loop(room, consumer);
          give(access_of(words[i++]), room, consumer);
          continue;
        }
        if (!loop_.empty() && !is_stepped_) give_loop(room, consumer);
        while (i < words.size() && record::kind_of(words[i]) == WordKind::access) {
          const std::size_t n = std::min(words.size() - i, kMaxAccesses - ready_);
          std::size_t k = 0;
          for (; k < n && record::kind_of(words[i + k]) == WordKind::access; ++k)
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
    if (left_ == 0 && !end_record(room, threads, consumer)) return false;
  }
  flush(room, consumer);
  return true;
}

void StreamDecoder::finish(Room& room, Consumer& consumer) {
  give_loop(room, consumer);
  flush(room, consumer);
}

bool StreamDecoder::begin_record(std::uint64_t word) {
  if (record::kind_of(word) > WordKind::other) return false;
  record_[0] = word;
  seen_ = 1;
  left_ = record::following_of(word);
  return true;
}

bool StreamDecoder::end_record(Room& room, const ThreadsOfEvents* threads, Consumer& consumer) {
  if (record::kind_of(record_[0]) == WordKind::other) {
    end_other(room, threads, consumer);
    return true;
  }
  constexpr std::uint64_t kLoop = (std::uint64_t{1} << record::kDependenceOfRange) - 1;
  const std::uint64_t loop = record_[3] & kLoop;
  if (loop == 0 || loop != loop_number_) give_loop(room, consumer);
  loop_number_ = loop;
  const Access first = access_of(record_[0]);
  if (record_[2] > bytes_left_ / first.bytes || loop_.size() == kMaxParts) return false;
  bytes_left_ -= record_[2] * first.bytes;
  if (loop_.empty()) {
    is_stepped_ = stepped_[first.style];
    next_iteration_ = 0;
  }
  loop_.push_back({first.address, static_cast<std::int64_t>(record_[1]), record_[2], first.bytes,
                   first.write, first.style,
                   static_cast<std::uint16_t>(record_[3] >> record::kDependenceOfRange)});
  return true;
}

void StreamDecoder::end_style(Room& room, Consumer& consumer) {
  const record::Style style = record::style_of(record_[1], record_[2]);
  const std::uint32_t index = record::style_index_of(record_[1]);
  if (index == 0) return;
  // A loop's ranges are consecutive except for styles between them. Ranges before this record have
  // the old style.
  for (const AccessRange& range : loop_)
    if (range.style == index) {
      give_loop(room, consumer);
      break;
    }
  flush(room, consumer);
  steps_[index] = static_cast<std::uint8_t>(style.steps);
  stepped_[index] = style.stepped;
  has_steps_ = has_steps_ || style.steps != 0;
  styles_[index] = style.access;
  consumer.style(stream_, index, styles_[index]);
}

void StreamDecoder::give_first(const AccessRange& range, Room& room, Consumer& consumer) {
  std::uint8_t number = range.style;
  if (range.depends_on != 0) {
    flush(room, consumer);
    number = record::kToldStyles;
    AccessStyle style = styles_[range.style];
    style.depends_on = range.depends_on;
    consumer.style(stream_, number, style);
  }
  give({range.address, range.bytes, range.write, number}, room, consumer);
}

void StreamDecoder::end_work(Room& room, Consumer& consumer) {
  if (record_[3] != 0) step(record_[3], room, consumer);
  if (!is_stepped_) give_loop(room, consumer);
  flush(room, consumer);
  const Work work = record::work_of(record_[1], record_[2]);
  if (!work.is_none()) consumer.work(stream_, work);
}

void StreamDecoder::step(std::uint64_t iterations, Room& room, Consumer& consumer) {
  if (!is_stepped_) return;
  if (ranges_ && iterations > record::kMaxSteps) {  // from a work record: as a separate loop
    std::vector<AccessRange> part;
    for (AccessRange& range : loop_) {
      const std::uint64_t left = range.n - std::min(range.n, next_iteration_);
      if (left == 0) continue;
      part.push_back(range);
      part.back().n = std::min(left, iterations);
      if (next_iteration_ != 0) part.back().depends_on = 0;
      range.address += static_cast<std::uint64_t>(range.step) * part.back().n;
    }
    next_iteration_ += iterations;
    flush(room, consumer);
    if (!part.empty()) consumer.loop(stream_, part);
    return;
  }
  for (; iterations != 0; --iterations, ++next_iteration_) {
    bool is_over = true;
    for (AccessRange& range : loop_) {
      if (next_iteration_ >= range.n) continue;
      is_over = false;
      if (next_iteration_ == 0)
        give_first(range, room, consumer);
      else
        give({range.address, range.bytes, range.write, range.style}, room, consumer);
      range.address += static_cast<std::uint64_t>(range.step);
    }
    if (is_over) {
      loop_.clear();
      is_stepped_ = false;
      return;
    }
  }
}

void StreamDecoder::end_other(Room& room, const ThreadsOfEvents* threads, Consumer& consumer) {
  const std::span<const std::uint64_t> words(record_, std::min<std::size_t>(seen_, kMaxWords));
  const record::RecordRow* row = row_of(words);
  if (row == nullptr) return;
  // Passes on the accesses before the record.
  const auto finish_accesses = [&] {
    if (!is_stepped_) give_loop(room, consumer);
    flush(room, consumer);
  };
  switch (row->group) {
    case RecordGroup::work:
      return row->kind == RecordKind::style ? end_style(room, consumer) : end_work(room, consumer);
    case RecordGroup::wait:
      if (StreamWait wait; wait_of(words, wait)) {
        finish_accesses();
        consumer.wait(stream_, wait);
      }
      return;
    case RecordGroup::placement:
      if (StreamPlacement call; placement_of(words, call)) {
        finish_accesses();
        consumer.place(stream_, call);
      }
      return;
    case RecordGroup::event:
    case RecordGroup::task:
      finish_accesses();
      StreamEvent event = event_of(words, *row);
      if (threads != nullptr && row->is_event())
        if (const auto found = threads->find(event.number); found != threads->end())
          event.thread = found->second;
      consumer.event(stream_, event);
      return;
  }
}

void StreamDecoder::give_loop(Room& room, Consumer& consumer) {
  if (loop_.empty()) return;
  if (is_stepped_) {  // passes on the remaining iterations
    for (AccessRange& range : loop_) {
      range.n -= std::min(range.n, next_iteration_);
      if (next_iteration_ != 0) range.depends_on = 0;
    }
    std::erase_if(loop_, [](const AccessRange& range) { return range.n == 0; });
    is_stepped_ = false;
    if (loop_.empty()) return;
  }
  if (ranges_) {
    flush(room, consumer);
    consumer.loop(stream_, loop_);
    loop_.clear();
    return;
  }
  const auto is_over = [](std::uint64_t i) {
    return [i](const AccessRange& range) { return range.n <= i; };
  };
  std::erase_if(loop_, is_over(0));
  for (std::uint64_t i = 0; !loop_.empty(); std::erase_if(loop_, is_over(i))) {
    const std::uint64_t end = std::ranges::min_element(loop_, {}, &AccessRange::n)->n;
    for (; i < end; ++i)
      for (AccessRange& range : loop_) {
        if (i == 0)
          give_first(range, room, consumer);
        else
          give({range.address, range.bytes, range.write, range.style}, room, consumer);
        range.address += static_cast<std::uint64_t>(range.step);
      }
  }
}

void StreamDecoder::flush(const Room& room, Consumer& consumer) {
  if (ready_ != 0) consumer.accesses(stream_, std::span(room).first(ready_));
  ready_ = 0;
}

}  // namespace Atoll::recording
