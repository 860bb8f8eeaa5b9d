// A thread's words as accesses in the order in which the program made them: the ranges of one loop,
// which were recorded one after the other, by iteration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/trace/recording.hpp"
#include "trace/recorder/stream_words.hpp"

namespace Atoll::trace {

class Interleaver {
 public:
  static constexpr std::size_t kMostAccesses = 4096;  ///< handed on at once

  /// Hands on what is complete; the words may end within a record or a loop.
  template <typename F>
  void add(std::span<const std::uint64_t> words, F&& hand_on) {
    for (const std::uint64_t word : words) {
      if (pending_ == 0 && recorder::kind_of(word) == recorder::WordKind::access) {
        give_loop(hand_on);
        give({recorder::address_of(word), recorder::bytes_of(word), recorder::is_write_of(word)},
             hand_on);
        continue;
      }
      range_[pending_++] = word;
      if (pending_ < 4) continue;
      pending_ = 0;
      if (range_[3] == 0 || range_[3] != loop_number_) give_loop(hand_on);
      loop_number_ = range_[3];
      loop_.push_back({range_[0], static_cast<std::int64_t>(range_[1]), range_[2]});
    }
    flush(hand_on);
  }

  template <typename F>
  void finish(F&& hand_on) {
    give_loop(hand_on);
    flush(hand_on);
  }

 private:
  struct Range {
    std::uint64_t word;
    std::int64_t step;
    std::uint64_t n;
  };

  template <typename F>
  void give(const Access& access, F&& hand_on) {
    ready_.push_back(access);
    if (ready_.size() == kMostAccesses) flush(hand_on);
  }

  template <typename F>
  void flush(F&& hand_on) {
    if (!ready_.empty()) hand_on(std::span<const Access>(ready_));
    ready_.clear();
  }

  template <typename F>
  void give_loop(F&& hand_on) {
    std::uint64_t iterations = 0;
    for (const Range& range : loop_) iterations = std::max(iterations, range.n);
    for (std::uint64_t i = 0; i < iterations; ++i)
      for (const Range& range : loop_)
        if (i < range.n)
          give({recorder::address_of(range.word) + i * static_cast<std::uint64_t>(range.step),
                recorder::bytes_of(range.word), recorder::is_write_of(range.word)},
               hand_on);
    loop_.clear();
  }

  std::uint64_t range_[4] = {};
  std::size_t pending_ = 0;  ///< words of range_ that are there
  std::vector<Range> loop_;
  std::uint64_t loop_number_ = 0;
  std::vector<Access> ready_;
};

}  // namespace Atoll::trace
