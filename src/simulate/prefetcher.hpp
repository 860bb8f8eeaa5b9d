// Stream prefetcher of a level 2 cache: follows ascending or descending lines within pages of 4
// KiB, as those of the papers' machines do.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace Atoll::simulate {

class Prefetcher {
 public:
  Prefetcher(std::uint32_t streams, std::uint32_t distance, int line_bits)
      : streams_(streams), distance_(distance), page_bits_(12 - line_bits) {}

  /// Handles a request for the line at the level 2 cache. Calls fetch(line) for each line to
  /// prefetch now, kDegree at most. These lines are in the same page of `page_bits` as the
  /// requested one: 4 KiB, or a larger page in which streams continue.
  template <typename Fetch>
  void ask(std::uint64_t line, int page_bits, Fetch fetch) {
    const std::uint64_t page = line >> page_bits_;
    limit_bits_ = page_bits;
    for (std::size_t i = 0; i < used_; ++i)
      if (streams_[i].page == page || continues_into(streams_[i], page)) {
        streams_[i].page = page;
        Stream stream = streams_[i];
        for (; i > 0; --i) streams_[i] = streams_[i - 1];  // most recently used first
        follow(stream, line, fetch);
        streams_[0] = stream;
        return;
      }
    if (streams_.empty()) return;
    used_ = used_ < streams_.size() ? used_ + 1 : used_;
    // Inserts a new stream in the middle of the list; at its front, random accesses would evict all
    // streams.
    const std::size_t place = std::min(used_ - 1, streams_.size() / 2);
    for (std::size_t i = used_ - 1; i > place; --i) streams_[i] = streams_[i - 1];
    streams_[place] = {page, line, line, 0, 0};
  }

  static constexpr int kDegree = 2;     ///< lines that are prefetched at a time
  static constexpr int kConfirmed = 2;  ///< steps in one direction before a prefetch

 private:
  struct Stream {
    std::uint64_t page = 0, last = 0;
    std::uint64_t fetched = 0;  ///< the last prefetched line
    int direction = 0, steps = 0;
  };
  /// True if the stream continues into `page`, beyond its 4 KiB.
  [[nodiscard]] bool continues_into(const Stream& stream, std::uint64_t page) const {
    return limit_bits_ != page_bits_ && stream.steps >= kConfirmed &&
           stream.page + static_cast<std::uint64_t>(stream.direction) == page &&
           stream.fetched >> page_bits_ != stream.page;
  }
  template <typename Fetch>
  void follow(Stream& stream, std::uint64_t line, Fetch fetch) {
    if (line == stream.last) return;
    const int direction = line > stream.last ? 1 : -1;
    if (direction != stream.direction) {
      stream.direction = direction;
      stream.steps = 0;
      stream.fetched = line;
    }
    stream.last = line;
    if (++stream.steps < kConfirmed) return;
    const auto ahead = [&](std::uint64_t a, std::uint64_t b) {
      return static_cast<std::int64_t>(a - b) * direction;
    };
    if (ahead(stream.fetched, line) < 0) stream.fetched = line;
    for (int i = 0; i < kDegree && ahead(stream.fetched, line) < distance_; ++i) {
      const std::uint64_t next = stream.fetched + static_cast<std::uint64_t>(direction);
      if (next >> limit_bits_ != line >> limit_bits_) return;
      stream.fetched = next;
      fetch(next);
    }
  }

  std::vector<Stream> streams_;
  std::size_t used_ = 0;
  std::int64_t distance_;
  int page_bits_;
  int limit_bits_ = 0;  ///< low bits of a line number within which streams continue
};

}  // namespace Atoll::simulate
