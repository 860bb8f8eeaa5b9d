// Streams of accesses in files: compressed blocks of each thread's records, in its order, then all
// else that the recording tells (docs/trace-file.md).
#pragma once

#include <zstd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/trace/recording.hpp"
#include "trace/stream_sink.hpp"

namespace Atoll::trace {

/// Writes one; the file is there when finish() has returned, not before.
class StreamWriter : public StreamSink {
 public:
  explicit StreamWriter(std::string path);
  /// May be cut anywhere.
  void write(std::uint32_t stream, std::span<const std::uint64_t> words) override;
  /// Thread::stream says whose the streams are.
  void finish(const Recording& recording);
  [[nodiscard]] std::uint64_t words() const { return words_; }

 private:
  void write_words(std::uint32_t kind, std::uint32_t stream, std::span<const std::uint64_t> words,
                   std::uint64_t number);
  /// `code_`, packed, behind what `payload_` has.
  void write_block(std::uint32_t kind, int level);

  AtomicFile file_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> packer_;
  std::map<std::uint32_t, std::uint64_t> blocks_;  ///< by stream
  std::uint64_t words_ = 0;
  std::vector<std::uint8_t> code_, payload_;
};

/// Hands the streams to the consumer: begin, then accesses in blocks of at most 4096, loops and
/// events, then end. Streams are numbered as their threads. Throws Error (input): no such file,
/// damaged, with the place.
void read_stream(const std::string& path, Consumer& consumer);

}  // namespace Atoll::trace
