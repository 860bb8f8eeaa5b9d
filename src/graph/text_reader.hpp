// A text as chunks of whole lines, handed to whichever thread asks next: read once, from the front,
// so that pipes work as files do, and nothing of the text stays in memory once it is parsed.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::graph {

/// A file opened for reading. Throws Error (input) for what isn't there or is a directory.
class InputFile {
 public:
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool regular() const { return regular_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  ///< of a regular file
  /// Up to `bytes` bytes; 0 at the end.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  bool regular_ = false;
  std::size_t bytes_ = 0;
};

class TextReader {
 public:
  /// Bytes that may be read, and mean nothing, behind a chunk's end: for words read at once.
  static constexpr std::size_t kPadding = 8;
  /// A longer line is no line of a graph.
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20;

  struct Chunk {
    std::size_t index = 0;  ///< 0, 1, 2 …
    std::string_view text;  ///< whole lines, each with its line break (the last line too)
    std::vector<char> memory;
  };

  TextReader(const InputFile& file, std::size_t chunk_bytes);

  /// The first bytes of the text, at least `bytes` if it has so many. Before the first next().
  [[nodiscard]] std::string_view peek(std::size_t bytes);
  /// The next line, without its line break, taken off the text; false at the end. Before the first
  /// next(). Throws Error (input) for a line that is too long.
  [[nodiscard]] bool take_line(std::string& line);
  [[nodiscard]] std::size_t lines_taken() const { return lines_taken_; }

  /// The next chunk, false at the end. From any thread. The chunk's memory is used again.
  [[nodiscard]] bool next(Chunk& chunk);

 private:
  bool read_more(std::size_t bytes);
  [[noreturn]] void refuse_long_line() const;

  const InputFile& file_;
  std::size_t chunk_bytes_;
  std::mutex mutex_;
  std::string pending_;  ///< read, and not yet handed out: from at_ on
  std::size_t at_ = 0;
  std::size_t chunks_ = 0;
  std::size_t lines_taken_ = 0;
};

}  // namespace Atoll::graph
