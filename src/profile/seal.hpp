// Checksums of a profile file. If any byte changes after the file was written, load() reports it.
#pragma once

#include <string>

namespace Atoll::profile {

/// Size of the checksum at the end of each page of the database, in bytes that SQLite leaves unused
/// ("reserved"). It differs from the size that SQLite's checksum extension uses, since that would
/// expect its own checksum there.
inline constexpr int kSealBytes = 16;

/// Writes the checksum of each page. Throws Error (failed).
void seal(const std::string& path);
/// Throws Error (input) if a page doesn't match its checksum.
void check_seal(const std::string& path);

}  // namespace Atoll::profile
