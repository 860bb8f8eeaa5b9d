// Reads files whole, such as plans and decks. An endless file, or one of another kind, is
// refused before it fills the memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace Atoll {

/// A kind of files, such as plans.
struct FileKind {
  std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< larger files are refused
  std::string_view way_out;                            ///< ends the messages of errors
  /// Is called once with the file's first bytes, 4096 or all of the file, and throws if they are of
  /// another kind. Empty: a zero byte is of another kind.
  std::function<void(std::string_view first)> check_first = {};
};

/// Returns the file's bytes; a pipe is read to its end. Throws Error (input), which names `path`,
/// if it is a directory, can't be read, has a zero byte among its first or is too large.
[[nodiscard]] std::string read_file(const std::string& path, const FileKind& kind);

}  // namespace Atoll
