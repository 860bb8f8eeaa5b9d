// Reads whole files, such as plans and decks. Refuses endless files and files of another kind
// before they fill the memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace Atoll {

/// Limits and checks for a kind of files, such as plans.
struct FileKind {
  std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< maximum size
  std::string_view way_out;                            ///< end of error messages
  /// Called once with the file's first bytes (4096, or the whole file); throws if the file is of
  /// another kind. If empty, a file with a zero byte there is refused.
  std::function<void(std::string_view first)> check_first = {};
};

/// Returns the file's contents; reads a pipe to its end. Throws Error (input) with `path` for a
/// directory, an unreadable or too large file, and a file that fails `check_first`.
[[nodiscard]] std::string read_file(const std::string& path, const FileKind& kind);

}  // namespace Atoll
