// Checksums of a profile file: whatever byte changes after it was written, load() says so.
#pragma once

#include <string>

namespace Atoll::profile {

/// At the end of each page of the database, in bytes that SQLite leaves alone ("reserved"). Another
/// number than SQLite's own extension for checksums takes, which would look for its own.
inline constexpr int kSealBytes = 16;

/// Writes the checksum of each page. Throws Error (failed).
void seal(const std::string& path);
/// Throws Error (input): a page isn't what was sealed.
void check_seal(const std::string& path);

}  // namespace Atoll::profile
