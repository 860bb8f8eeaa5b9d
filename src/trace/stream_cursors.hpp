// Reads a trace's streams side by side: each as far as its reader has come, a block at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "trace/stream_blocks.hpp"
#include "trace/stream_decoder.hpp"

namespace Atoll::trace {

class StreamCursors {
 public:
  /// Reads the recording, and where the streams' blocks are. Throws Error (input) if there is no
  /// such file or it is damaged.
  explicit StreamCursors(const std::string& path);

  /// Threads have `stream` as their own number, or kNone.
  [[nodiscard]] const Recording& recording() const { return recording_; }
  /// Hands the next block of the thread's stream to the consumer, loops as ranges. Returns false
  /// if there is no more. Throws Error (input) if the file is damaged there.
  [[nodiscard]] bool next(std::uint32_t thread, Consumer& consumer);

 private:
  struct Cursor {
    Cursor(std::uint32_t thread, std::uint64_t most_bytes) : decoder(thread, true, most_bytes) {}
    StreamDecoder decoder;
    std::vector<std::streamoff> places;
    std::size_t next_place = 0;
    bool is_finished = false;
  };
  BlockReader blocks_;
  Recording recording_;
  ThreadsOfEvents threads_;
  std::unordered_map<std::uint32_t, Cursor> cursors_;  ///< by thread
  std::unique_ptr<StreamDecoder::Room> room_;
};

}  // namespace Atoll::trace
