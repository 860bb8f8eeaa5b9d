// Bytes that are read once, from front to back: of a file, or of what is packed in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace Atoll::graph {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The name that errors use: the file, and the part of it.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// The length, or 0 if it isn't known.
  [[nodiscard]] virtual std::size_t bytes() const = 0;

  /// Says that no more bytes are needed. It may be called from any thread; a read() that waits for
  /// bytes ends, and finds none.
  virtual void stop() noexcept = 0;

  /// Reads up to `bytes` bytes; returns 0 at the end.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);
  /// The number of bytes read so far.
  [[nodiscard]] std::size_t taken() const { return taken_; }
  /// The next bytes, at least `bytes` of them if there are so many; read() gives them again.
  [[nodiscard]] std::string_view peek(std::size_t bytes);

 protected:
  [[nodiscard]] virtual std::size_t read_next(char* to, std::size_t bytes) = 0;

 private:
  std::string seen_;  ///< peeked at, and not yet read: from at_ on
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace Atoll::graph
