#include "atoll/parallel/fingerprint.hpp"

#include <xxhash.h>

namespace Atoll {

std::uint64_t fingerprint_of_bytes(std::span<const std::byte> bytes,
                                   std::uint64_t before) noexcept {
  const std::uint64_t hash = XXH3_64bits_withSeed(bytes.data(), bytes.size(), before);
  return hash == 0 ? 1 : hash;
}

}  // namespace Atoll
