// Takes the words of streams while a program runs, for a file or a consumer.
#pragma once

#include <cstdint>
#include <span>

namespace Atoll::trace {

class StreamSink {
 public:
  virtual ~StreamSink() = default;
  /// Takes records (recorder/stream_words.hpp) of one stream. Streams are numbered in the order in
  /// which their threads begin, as that is known at once.
  virtual void write(std::uint32_t stream, std::span<const std::uint64_t> words) = 0;
  /// Called when each stream has been looked at once more.
  virtual void step_done() {}
};

}  // namespace Atoll::trace
