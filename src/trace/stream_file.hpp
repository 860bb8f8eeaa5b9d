// Streams of accesses in files: compressed blocks of each thread's records, in its order, then all
// else that the recording tells (docs/trace-file.md).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/trace/recording.hpp"

namespace Atoll::trace {

/// Writes one; the file is there when finish() has returned, not before.
class StreamWriter {
 public:
  explicit StreamWriter(std::string path);
  /// Records (recorder/stream_words.hpp) of a thread by its number in the file: its id, which goes
  /// by creation, may only be known later. May be cut anywhere.
  void write(std::uint32_t thread, std::span<const std::uint64_t> words);
  /// `ids`: the recording's thread for each number.
  void finish(const Recording& recording, const std::vector<std::uint32_t>& ids);
  [[nodiscard]] std::uint64_t words() const { return words_; }

 private:
  /// `code_`, packed.
  void write_block(std::uint32_t thread, std::uint32_t words, std::uint64_t number, int level);

  AtomicFile file_;
  std::map<std::uint32_t, std::uint64_t> blocks_;  ///< by thread
  std::uint64_t words_ = 0;
  std::vector<std::uint8_t> code_, packed_;
};

/// Hands the stream to the consumer: begin, then accesses in blocks of at most 4096 with the ranges
/// of a loop interleaved by iteration, then end. Throws Error (input): no such file, damaged, with
/// the place.
void read_stream(const std::string& path, Consumer& consumer);

/// Reads a stream and checks what every stream keeps to; returns what is wrong, a line each.
[[nodiscard]] std::vector<std::string> check_stream(const std::string& path);

}  // namespace Atoll::trace
