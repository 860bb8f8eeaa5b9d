// Files under random names, which become another file or are removed.
#pragma once

#include <sys/types.h>

#include <string>

namespace Atoll {

/// A new empty file, open to be read and written.
struct TemporaryFile {
  int descriptor = -1;
  std::string path;
};

/// Returns 16 random lower-case letters and digits. Throws Error (failed) if the system has no
/// random numbers.
[[nodiscard]] std::string random_word();

/// Returns a random path in the folder. Its name is short, so that it fits wherever another name
/// fits, and unique, also among containers that share the folder.
[[nodiscard]] std::string temporary_path(const std::string& folder);

/// Creates a file at such a path, for this user alone unless `bits` says otherwise. Returns the
/// descriptor -1 and sets errno if the folder refuses.
[[nodiscard]] TemporaryFile create_temporary_file(const std::string& folder, mode_t bits = 0600);

/// Creates a file in the folder for temporary files, and removes old ones there. Returns the
/// descriptor -1 if there is no such folder or no room.
[[nodiscard]] TemporaryFile create_temporary_file();

/// Removes this user's files that have such a path in the folder and were written more than a day
/// ago: killed processes left them.
void remove_old_temporary_files(const std::string& folder);

}  // namespace Atoll
