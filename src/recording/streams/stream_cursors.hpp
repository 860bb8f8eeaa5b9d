// Reads a trace's streams concurrently, block by block, each at its consumer's pace.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/base/progress.hpp"
#include "recording/streams/stream_blocks.hpp"
#include "recording/streams/stream_decoder.hpp"

namespace Atoll::recording {

class StreamCursors {
 public:
  /// Reads the recording and the positions of the streams' blocks. Throws Error (input) if the file
  /// does not exist or is damaged.
  explicit StreamCursors(const std::string& path);

  /// Thread::stream is the thread's own number, or kNone.
  [[nodiscard]] const Recording& recording() const { return recording_; }
  /// Passes the next block of the thread's stream to the consumer, with loops as ranges. Returns
  /// false if there is none. Throws Error (input) if the file is damaged there.
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
  std::unique_ptr<Progress> progress_;  ///< in blocks
};

}  // namespace Atoll::recording
