// A stream's words as what they tell a consumer, in the order in which the thread did it: the
// ranges of one loop, which were recorded one after the other, by iteration.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace {

/// The threads that events are about, by the events' numbers.
using ThreadsOfEvents = std::unordered_map<std::uint64_t, std::uint32_t>;

/// Of one stream.
class StreamDecoder {
 public:
  static constexpr std::size_t kMaxAccesses = 4096;  ///< handed on at once
  /// Room for them; one that is used again and again stays in the cache.
  using Room = std::array<Access, kMaxAccesses>;

  StreamDecoder(std::uint32_t stream, bool wants_ranges) : stream_(stream), ranges_(wants_ranges) {}

  /// Hands on what is complete; the words may end within a record or a loop. False: they are no
  /// records. `threads` may be null.
  [[nodiscard]] bool add(std::span<const std::uint64_t> words, Room& room,
                         const ThreadsOfEvents* threads, Consumer& consumer);
  /// Hands on the loop that was the last.
  void finish(Room& room, Consumer& consumer);
  /// True within a record.
  [[nodiscard]] bool is_cut() const { return left_ != 0; }

 private:
  [[nodiscard]] bool begin_record(std::uint64_t word);
  void end_record(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  void end_event(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  void give_loop(Room& room, Consumer& consumer);
  void give(const Access& access, Room& room, Consumer& consumer) {
    room[ready_++] = access;
    if (ready_ == kMaxAccesses) flush(room, consumer);
  }
  void flush(const Room& room, Consumer& consumer);

  std::uint32_t stream_;
  bool ranges_;
  std::size_t ready_ = 0;
  std::uint64_t record_[4] = {};  ///< the one that has begun: its first words
  std::uint64_t seen_ = 0, left_ = 0;
  std::vector<AccessRange> loop_;
  std::uint64_t loop_number_ = 0;
};

}  // namespace Atoll::trace
