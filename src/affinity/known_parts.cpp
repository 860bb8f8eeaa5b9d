#include "affinity/known_parts.hpp"

#include <utility>

namespace Atoll::affinity {
namespace {

/// Each bit of the result depends on all bits of both.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t hash = a * 0xff51afd7ed558ccd + b;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;
  hash = (hash ^ hash >> 29) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

/// Never 0.
std::uint64_t hash_of(const trace::TaskUses& part) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15, kOther = 0xd1b54a32d192ed03;
  std::uint64_t hash = mix(part.number ^ kOther, kOdd ^ part.process);
  for (const trace::LineUse& use : part.lines) {  // most of the time goes here
    const std::uint64_t words =
        use.read | std::uint64_t{use.written} << 8 | std::uint64_t{use.atomic} << 16;
    hash = (hash ^ use.line ^ words << 40) * kOdd;
    hash ^= hash >> 32;
  }
  hash = mix(hash, part.lines.size());
  return hash | 1;
}

}  // namespace

std::size_t KnownParts::place_of(std::uint64_t hash) const {
  const std::size_t mask = hashes_.size() - 1;
  std::size_t place = (hash >> 1) & mask;
  while (hashes_[place] != 0 && hashes_[place] != hash) place = (place + 1) & mask;
  return place;
}

bool KnownParts::contains(const trace::TaskUses& part) const {
  return !hashes_.empty() && hashes_[place_of(hash_of(part))] != 0;
}

void KnownParts::add(const trace::TaskUses& part) {
  if (4 * (used_ + 1) > 3 * hashes_.size()) grow();
  const std::uint64_t hash = hash_of(part);
  hashes_[place_of(hash)] = hash;
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
