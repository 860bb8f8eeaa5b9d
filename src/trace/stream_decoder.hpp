// Turns a stream's words into accesses, loops and events, in the order in which the thread did
// them: the ranges of a loop were recorded one after the other, and are handed on iteration by
// iteration.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace {

/// The threads that events create or join, by the events' numbers.
using ThreadsOfEvents = std::unordered_map<std::uint64_t, std::uint32_t>;

/// Returns an upper bound of the bytes that one thread of a run accessed, by the run's time.
[[nodiscard]] std::uint64_t most_bytes_of(const Recording& recording);

/// Decodes one stream.
class StreamDecoder {
 public:
  static constexpr std::size_t kMaxAccesses = 4096;  ///< that are handed on at once
  /// Room for so many accesses. Decoders share it, so that it stays in the cache.
  using Room = std::array<Access, kMaxAccesses>;

  /// `most_bytes` is what the stream's ranges can have accessed, as most_bytes_of() says; a range
  /// that exceeds it is no record.
  StreamDecoder(std::uint32_t stream, bool wants_ranges,
                std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max())
      : stream_(stream), ranges_(wants_ranges), bytes_left_(most_bytes) {}

  /// Hands on what is complete; the words may end within a record or a loop. Returns false if they
  /// are no records. `threads` may be null.
  [[nodiscard]] bool add(std::span<const std::uint64_t> words, Room& room,
                         const ThreadsOfEvents* threads, Consumer& consumer);
  /// Hands on the last loop, to which nothing can be added any more.
  void finish(Room& room, Consumer& consumer);
  /// True if the words so far end within a record.
  [[nodiscard]] bool is_cut() const { return left_ != 0; }

 private:
  [[nodiscard]] bool begin_record(std::uint64_t word);
  /// Returns false if it is a range that can't be.
  [[nodiscard]] bool end_record(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  void end_event(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  void end_style(Room& room, Consumer& consumer);
  void end_work(Room& room, Consumer& consumer);
  /// Hands on so many iterations of the loop that is stepped through.
  void step(std::uint64_t iterations, Room& room, Consumer& consumer);
  /// Hands on what timed streams have besides; false: it is of another kind.
  bool end_timed(Room& room, Consumer& consumer);
  void give_loop(Room& room, Consumer& consumer);
  void give(const Access& access, Room& room, Consumer& consumer) {
    room[ready_++] = access;
    if (ready_ == kMaxAccesses) flush(room, consumer);
  }
  /// Hands on the range's first access, with the style that it alone has.
  void give_first(const AccessRange& range, Room& room, Consumer& consumer);
  void flush(const Room& room, Consumer& consumer);

  std::uint32_t stream_;
  bool ranges_;
  std::uint64_t bytes_left_;  ///< that further ranges can have accessed
  std::size_t ready_ = 0;
  static constexpr std::size_t kMaxWords = 24;
  std::uint64_t record_[kMaxWords] = {};  ///< the first words of the record that has begun
  std::uint64_t seen_ = 0, left_ = 0;
  std::vector<AccessRange> loop_;
  std::uint64_t loop_number_ = 0;
  std::uint64_t next_iteration_ = 0;                     ///< of a loop that is stepped through
  bool is_stepped_ = false;                              ///< `loop_` is such a loop
  bool has_steps_ = false;                               ///< some of the next aren't 0
  std::array<std::uint8_t, recorder::kStyles> steps_{};  ///< by style
  std::array<bool, recorder::kStyles> stepped_{};
  std::array<AccessStyle, recorder::kStyles> styles_{};
};

}  // namespace Atoll::trace
