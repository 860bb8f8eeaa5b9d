// A stream of bytes that is read once, front to back: a file, or a member of a packed file.
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

  /// The name for error messages: the file, and the member if there is one.
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// The length in bytes, or 0 if it is unknown.
  [[nodiscard]] virtual std::size_t bytes() const = 0;

  /// Ends the stream early. May be called from any thread. A read() that waits for bytes returns 0.
  virtual void stop() noexcept = 0;

  /// Reads up to `bytes` bytes; returns 0 at the end.
  [[nodiscard]] std::size_t read(char* to, std::size_t bytes);
  /// The number of bytes read so far.
  [[nodiscard]] std::size_t taken() const { return taken_; }
  /// Returns the next bytes without consuming them: at least `bytes`, or all if the stream is
  /// shorter.
  [[nodiscard]] std::string_view peek(std::size_t bytes);

 protected:
  [[nodiscard]] virtual std::size_t read_next(char* to, std::size_t bytes) = 0;

 private:
  std::string seen_;  ///< bytes that were peeked at; those from at_ on aren't read yet
  std::size_t at_ = 0;
  std::size_t taken_ = 0;
};

}  // namespace Atoll::graph
