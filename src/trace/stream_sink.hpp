// Where the words of streams go while a program runs: into a file, to a consumer.
#pragma once

#include <cstdint>
#include <span>

namespace Atoll::trace {

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  /// Records (recorder/stream_words.hpp) of a stream by its number: threads in the order in which
  /// they begin, which is known at once.
  virtual void write(std::uint32_t stream, std::span<const std::uint64_t> words) = 0;
  /// Each stream has been looked at.
  virtual void step_done() {}
};

}  // namespace Atoll::trace
