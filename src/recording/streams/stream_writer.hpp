// Writer of stream files: compressed blocks of each thread's records in order, then the rest of the
// recording (docs/trace-file.md).
#pragma once

#include <zstd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/recording/recording.hpp"
#include "recording/streams/stream_sink.hpp"

namespace Atoll::recording {

/// Writes a file. The file appears, complete, when finish() returns.
class StreamWriter : public StreamSink {
 public:
  /// `timed`: the streams may have records of timed streams.
  explicit StreamWriter(std::string path, bool timed = false);
  /// Appends words of a stream; they may begin and end within a record.
  void write(std::uint32_t stream, std::span<const std::uint64_t> words) override;
  /// Writes the recording, whose Thread::stream has the streams' numbers, and completes the file.
  void finish(const Recording& recording);
  [[nodiscard]] std::uint64_t words() const { return words_; }

 private:
  void write_words(std::uint32_t kind, std::uint32_t stream, std::span<const std::uint64_t> words,
                   std::uint64_t number);
  /// Appends the compressed `code_` to `payload_`, and writes the block.
  void write_block(std::uint32_t kind, int level);

  AtomicFile file_;
  bool timed_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> packer_;
  std::map<std::uint32_t, std::uint64_t> blocks_;  ///< number of blocks written, by stream
  std::uint64_t words_ = 0;
  std::vector<std::uint8_t> code_, payload_;
};

}  // namespace Atoll::recording
