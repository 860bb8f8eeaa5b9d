// Decodes a stream's words to accesses, loops and events, in the program order of the thread: the
// ranges of a loop are stored one after the other, and passed on iteration by iteration.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "record/stream_words.hpp"

namespace Atoll::recording {

/// Threads that events create or join, by event number.
using ThreadsOfEvents = std::unordered_map<std::uint64_t, std::uint32_t>;

/// Returns an upper bound of the bytes that one thread can have accessed in the run's time.
[[nodiscard]] std::uint64_t most_bytes_of(const Recording& recording);

/// Decodes one stream.
class StreamDecoder {
 public:
  static constexpr std::size_t kMaxAccesses = 4096;  ///< per call of the consumer
  /// Buffer of accesses. Decoders share it, so that it stays in the cache.
  using Room = std::array<Access, kMaxAccesses>;

  /// `most_bytes` limits the total bytes of the stream's ranges, as from most_bytes_of(). A range
  /// beyond it is invalid.
  StreamDecoder(std::uint32_t stream, bool wants_ranges,
                std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max())
      : stream_(stream), ranges_(wants_ranges), bytes_left_(most_bytes) {}

  /// Decodes words, which may end within a record or a loop. Passes complete accesses and records
  /// to the consumer. Returns false if the words are invalid. `threads` may be null.
  [[nodiscard]] bool add(std::span<const std::uint64_t> words, Room& room,
                         const ThreadsOfEvents* threads, Consumer& consumer);
  /// Passes the last loop on, at the end of the stream.
  void finish(Room& room, Consumer& consumer);
  /// Returns true if the words so far end within a record.
  [[nodiscard]] bool is_cut() const { return left_ != 0; }

 private:
  [[nodiscard]] bool begin_record(std::uint64_t word);
  /// Returns false if the record is an invalid range.
  [[nodiscard]] bool end_record(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  /// Passes on a record that is neither an access nor a range.
  void end_other(Room& room, const ThreadsOfEvents* threads, Consumer& consumer);
  void end_style(Room& room, Consumer& consumer);
  void end_work(Room& room, Consumer& consumer);
  /// Passes on this number of iterations of the stepped loop.
  void step(std::uint64_t iterations, Room& room, Consumer& consumer);
  void give_loop(Room& room, Consumer& consumer);
  void give(const Access& access, Room& room, Consumer& consumer) {
    room[ready_++] = access;
    if (ready_ == kMaxAccesses) flush(room, consumer);
  }
  /// Passes on the range's first access, whose style has the range's depends_on.
  void give_first(const AccessRange& range, Room& room, Consumer& consumer);
  void flush(const Room& room, Consumer& consumer);

  std::uint32_t stream_;
  bool ranges_;
  std::uint64_t bytes_left_;  ///< remaining limit for ranges
  std::size_t ready_ = 0;
  static constexpr std::size_t kMaxWords = 24;
  std::uint64_t record_[kMaxWords] = {};  ///< first words of the current record
  std::uint64_t seen_ = 0, left_ = 0;
  std::vector<AccessRange> loop_;
  std::uint64_t loop_number_ = 0;
  std::uint64_t next_iteration_ = 0;                   ///< next iteration of a stepped loop
  bool is_stepped_ = false;                            ///< `loop_` is a stepped loop
  bool has_steps_ = false;                             ///< some element of steps_ is not 0
  std::array<std::uint8_t, record::kStyles> steps_{};  ///< by style
  std::array<bool, record::kStyles> stepped_{};
  std::array<AccessStyle, record::kStyles> styles_{};
};

}  // namespace Atoll::recording
