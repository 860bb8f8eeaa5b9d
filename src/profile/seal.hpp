// Checksums of a profile file. If any byte changes after the file was written, load() reports it.
#pragma once

#include <string>

namespace Atoll::profile {

/// The checksum is at the end of each page of the database, in bytes that SQLite leaves alone
/// ("reserved"). The number differs from that of SQLite's own extension for checksums, which would
/// look for its own.
inline constexpr int kSealBytes = 16;

/// Writes the checksum of each page. Throws Error (failed).
void seal(const std::string& path);
/// Throws Error (input) if a page differs from what was sealed.
void check_seal(const std::string& path);

}  // namespace Atoll::profile
