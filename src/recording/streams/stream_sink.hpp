// Receiver of streams' words while a program runs: a file or a consumer.
#pragma once

#include <cstdint>
#include <span>

namespace Atoll::recording {

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  /// Receives records (recorder/stream_words.hpp) of one stream. Streams are numbered in the order
  /// in which their threads begin.
  virtual void write(std::uint32_t stream, std::span<const std::uint64_t> words) = 0;
  /// Called after each round over all streams.
  virtual void step_done() {}
};

}  // namespace Atoll::recording
