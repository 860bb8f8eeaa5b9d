// The first 512 bytes of a checkpoint: what it is, how long, and a checksum (XXH3, 128 bits) over
// the rest. HDF5's library isn't made for damaged files, so nothing of a file reaches it before its
// seal was found right. This finds damage, not a forger.
#pragma once

#include <cstddef>
#include <string>

namespace Atoll::stencil {

/// HDF5 calls these bytes, which it leaves alone, the user block; 512 is the smallest.
constexpr std::size_t kSealBytes = 512;

/// The seal of an open file whose content begins behind kSealBytes. Throws Error (failed) if it
/// can't be read. `where` is what errors call it.
[[nodiscard]] std::string seal_of(int descriptor, const std::string& where);

/// Throws Error (input) if the file doesn't begin with its seal: it isn't a checkpoint, is cut
/// short or is damaged.
void check_seal(int descriptor, const std::string& where);

}  // namespace Atoll::stencil
