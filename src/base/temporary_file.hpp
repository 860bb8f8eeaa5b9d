// Files with random names, which are later renamed or removed.
#pragma once

#include <sys/types.h>

#include <string>

namespace Atoll {

/// A new empty file, open for reading and writing.
struct TemporaryFile {
  int descriptor = -1;
  std::string path;
};

/// Returns 16 random lower-case letters and digits. Throws Error (failed) if the system provides no
/// random numbers.
[[nodiscard]] std::string random_word();

/// Returns a random path in the folder. The name is short, so it fits wherever other names fit. It
/// is also unique among containers that share the folder.
[[nodiscard]] std::string temporary_path(const std::string& folder);

/// Creates a file at such a path with permissions `bits`. On failure, the descriptor is -1 and
/// errno is set.
[[nodiscard]] TemporaryFile create_temporary_file(const std::string& folder, mode_t bits = 0600);

/// Creates a file in the system's folder for temporary files, and removes old ones there. On
/// failure, the descriptor is -1.
[[nodiscard]] TemporaryFile create_temporary_file();

/// Removes this user's temporary files of this kind in the folder that are older than a day. Killed
/// processes leave such files.
void remove_old_temporary_files(const std::string& folder);

}  // namespace Atoll
