#include "affinity/known_parts.hpp"

#include <utility>

namespace Atoll::affinity {
namespace {

/// Changes a hash to one that differs from the mark of a free slot (0).
std::uint64_t occupied(std::uint64_t hash) {
  return hash | 1;
}

}  // namespace

std::size_t KnownParts::place_of(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t place = (hash >> 1) & mask;
  while (hashes_[place] != 0 && hashes_[place] != hash) place = (place + 1) & mask;
  return place;
}

bool KnownParts::contains(std::uint64_t hash) const {
  return !hashes_.empty() && hashes_[place_of(occupied(hash))] != 0;
}

void KnownParts::add(std::uint64_t hash) {
  if (4 * (used_ + 1) > 3 * hashes_.size()) grow();
  hashes_[place_of(occupied(hash))] = occupied(hash);
  ++used_;
}

void KnownParts::grow() {
  constexpr std::size_t kLeast = 1024;
  std::vector<std::uint64_t> larger(hashes_.empty() ? kLeast : 2 * hashes_.size());
  std::swap(hashes_, larger);
  for (const std::uint64_t hash : larger)
    if (hash != 0) hashes_[place_of(hash)] = hash;
}

}  // namespace Atoll::affinity
