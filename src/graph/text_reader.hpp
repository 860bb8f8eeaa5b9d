// A text as chunks of whole lines, handed to whichever thread asks next. It is read once, from the
// front, so that pipes work as files do, and nothing of the text stays in memory once it is parsed.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/byte_source.hpp"

namespace Atoll::graph {

/// The error for a carriage return that no line feed follows. It once ended lines on Macs; it isn't
/// taken for a line's end, nor for a blank.
inline constexpr const char* kLoneReturn = "a carriage return without a line feed";
inline constexpr const char* kLoneReturnWayOut = "end lines with a line feed: tr '\\r' '\\n'";

class TextReader {
 public:
  /// The number of bytes behind a chunk's end that may be read, and mean nothing: for reading words
  /// at once.
  static constexpr std::size_t kPadding = 8;
  /// A longer line is no line of a graph.
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

  struct Chunk {
    std::size_t index = 0;  ///< 0, 1, 2 …
    std::string_view text;  ///< whole lines, each with its line break (the last line too)
    std::vector<char> memory;
  };

  /// Skips a byte order mark. Throws Error (input) for that of UTF-16.
  TextReader(ByteSource& source, std::size_t chunk_bytes);

  [[nodiscard]] const ByteSource& source() const { return source_; }

  /// The first bytes of the text, at least `bytes` if it has so many. Call it before the first
  /// next().
  [[nodiscard]] std::string_view peek(std::size_t bytes);
  /// Takes the next line off the text, without its line break. Returns false at the end. Call it
  /// before the first next(). Throws Error (input) for a line that is too long or has a lone
  /// carriage return.
  [[nodiscard]] bool take_line(std::string& line);
  [[nodiscard]] std::size_t lines_taken() const { return lines_taken_; }
  /// The text's name and the number of the last line that take_line() took, for messages.
  [[nodiscard]] std::string where() const;

  /// Gets the next chunk; returns false at the end. It may be called from any thread. The chunk's
  /// memory is used again.
  [[nodiscard]] bool next(Chunk& chunk);
  /// Says that the rest isn't needed; next() ends soon. It may be called from any thread.
  void stop() noexcept { source_.stop(); }

 private:
  bool read_more(std::size_t bytes);
  [[noreturn]] void refuse_long_line(std::string_view line) const;

  ByteSource& source_;
  std::size_t chunk_bytes_;
  std::mutex mutex_;
  std::string pending_;  ///< read, but not yet handed out: from at_ on
  std::size_t at_ = 0;
  std::size_t chunks_ = 0;
  std::size_t lines_taken_ = 0;
};

}  // namespace Atoll::graph
