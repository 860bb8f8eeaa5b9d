// The header (seal) of a checkpoint, its first 512 bytes: kind, length and checksum (XXH3, 128
// bits) of the rest. The HDF5 library isn't robust against damaged files, so it reads a file only
// after the seal was verified. It detects damage, not forgery.
#pragma once

#include <cstddef>
#include <string>

namespace Atoll::stencil {

/// Size of the user block, which HDF5 leaves untouched; 512 is the minimum.
constexpr std::size_t kSealBytes = 512;

/// Returns the seal of an open file whose content begins at kSealBytes. Throws Error (failed) if
/// the file can't be read. `where` is the name in error messages.
[[nodiscard]] std::string seal_of(int descriptor, const std::string& where);

/// Throws Error (input) if the file doesn't begin with its seal: it isn't a checkpoint, is
/// truncated or is damaged.
void check_seal(int descriptor, const std::string& where);

}  // namespace Atoll::stencil
