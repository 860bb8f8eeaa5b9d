// A stream prefetcher beside a level 2 cache: it follows ascending or descending lines within pages
// of 4 KiB, as those of the papers' machines do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace Atoll::simulate {

class Prefetcher {
 public:
  Prefetcher(std::uint32_t streams, std::uint32_t distance, int line_bits)
      : pages_(streams, kNoPage),
        streams_(streams),
        order_(streams),
        distance_(distance),
        page_bits_(12 - line_bits) {
    for (std::uint32_t i = 0; i < streams; ++i)
      order_[i] = {(i + streams - 1) % streams, (i + 1) % streams};
  }

  /// The level 2 cache was asked for the line. Calls fetch(line) for each line to fetch now:
  /// kDegree at most.
  template <typename Fetch>
  void ask(std::uint64_t line, Fetch fetch) {
    const std::uint64_t page = line >> page_bits_;
    const auto streams = static_cast<std::uint32_t>(pages_.size());
    for (std::uint32_t i = 0; i < streams; ++i)
      if (pages_[i] == page) {
        use(i);
        follow(streams_[i], page, line, fetch);
        return;
      }
    if (streams == 0) return;
    // The one that was used longest ago goes.
    const std::uint32_t oldest = last_ = order_[last_].next;
    pages_[oldest] = page;
    streams_[oldest] = {line, line, 0, 0};
  }

  static constexpr int kDegree = 2;     ///< lines that are fetched at once
  static constexpr int kConfirmed = 2;  ///< steps in one direction before anything is fetched

 private:
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};
  struct Stream {
    std::uint64_t last = 0;
    std::uint64_t fetched = 0;  ///< the furthest line
    int direction = 0, steps = 0;
  };
  /// In a ring: the streams that were used before and after it. After the last one used comes the
  /// one that was used longest ago.
  struct Neighbours {
    std::uint32_t before, next;
  };
  /// The stream becomes the last one used.
  void use(std::uint32_t stream) {
    if (stream == last_) return;
    const Neighbours beside = order_[stream];
    order_[beside.before].next = beside.next;
    order_[beside.next].before = beside.before;
    const std::uint32_t oldest = order_[last_].next;
    order_[stream] = {last_, oldest};
    order_[last_].next = order_[oldest].before = stream;
    last_ = stream;
  }
  template <typename Fetch>
  void follow(Stream& stream, std::uint64_t page, std::uint64_t line, Fetch fetch) {
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
      if (next >> page_bits_ != page) return;
      stream.fetched = next;
      fetch(next);
    }
  }

  std::vector<std::uint64_t> pages_;  ///< by stream
  std::vector<Stream> streams_;
  std::vector<Neighbours> order_;  ///< by stream
  std::uint32_t last_ = 0;         ///< the last one used
  std::int64_t distance_;
  int page_bits_;
};

}  // namespace Atoll::simulate
