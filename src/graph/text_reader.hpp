// Splits a text into chunks of whole lines that any thread can fetch. The text is read once, front
// to back, so pipes work like files. Parsed text isn't kept in memory.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "graph/byte_source.hpp"

namespace Atoll::graph {

/// The error for a carriage return without a following line feed. Old Macs ended lines so; Atoll
/// treats it neither as a line end nor as a blank.
inline constexpr const char* kLoneReturn = "a carriage return without a line feed";
inline constexpr const char* kLoneReturnWayOut = "end lines with a line feed: tr '\\r' '\\n'";

class TextReader {
 public:
  /// The number of readable bytes after a chunk's end, with undefined content, so that parsers can
  /// load whole words.
  static constexpr std::size_t kPadding = 8;
  /// Longer lines are refused.
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

  struct Chunk {
    std::size_t index = 0;  ///< 0, 1, 2 …
    std::string_view text;  ///< whole lines; each ends with a line break, also the last
    std::vector<char> memory;
  };

  /// Skips a byte order mark. Throws Error (input) if it is that of UTF-16.
  TextReader(ByteSource& source, std::size_t chunk_bytes);

  [[nodiscard]] const ByteSource& source() const { return source_; }

  /// Returns the first bytes of the text, at least `bytes` if the text is that long. Call it before
  /// the first next().
  [[nodiscard]] std::string_view peek(std::size_t bytes);
  /// Consumes the next line; `line` lacks its line break. Returns false at the end. Call it before
  /// the first next(). Throws Error (input) if the line is too long or has a lone carriage return.
  [[nodiscard]] bool read_line(std::string& line);
  [[nodiscard]] std::size_t lines_read() const { return lines_taken_; }
  /// The text's name and the number of the last line that read_line() returned, for messages.
  [[nodiscard]] std::string where() const;

  /// Fetches the next chunk; returns false at the end. May be called from any thread. Reuses the
  /// memory of `chunk`.
  [[nodiscard]] bool next(Chunk& chunk);
  /// Ends the text early: next() soon returns false. May be called from any thread.
  void stop() noexcept { source_.stop(); }

 private:
  bool read_more(std::size_t bytes);
  [[noreturn]] void refuse_long_line(std::string_view line) const;

  ByteSource& source_;
  std::size_t chunk_bytes_;
  std::mutex mutex_;
  std::string pending_;  ///< bytes read; those from at_ on aren't in a chunk yet
  std::size_t at_ = 0;
  std::size_t chunks_ = 0;
  std::size_t lines_taken_ = 0;
};

}  // namespace Atoll::graph
