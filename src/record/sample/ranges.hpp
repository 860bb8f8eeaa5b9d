// Parts of the address space that are mapped from the sampling file. One lock guards them. They are
// valid after every single store, as a fork may happen in the middle of a change.
#pragma once

#include <cstddef>
#include <cstdint>

#include "atoll/base/hash.hpp"
#include "atoll/base/page_size.hpp"

namespace Atoll::record::sample {

inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

struct Range {
  std::uintptr_t begin, end;
  bool shared;  ///< true: pages can be withdrawn; false: it has become private memory
  /// Weight of a watched page of this range, in sixteenths: its allocation's pages / watched pages.
  std::uint32_t stands_for = kSixteenths;
  static constexpr std::uint32_t kSixteenths = 16;
};

/// Table of ranges. It is small enough for linear search. If a program has more large allocations,
/// only some of them are watched.
class Ranges {
 public:
  /// Returns false if the table is full.
  [[nodiscard]] bool add(const Range& range) {
    if (count_ == kMax) return false;
    ranges_[count_] = range;
    shared_pages_ += pages_of(range);
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
    return true;
  }
  /// Removes [begin, end) from all ranges.
  void cut(std::uintptr_t begin, std::uintptr_t end) {
    for (std::size_t i = count_; i-- > 0;) {
      const Range range = ranges_[i];
      if (range.begin >= end || range.end <= begin) continue;
      shared_pages_ -= pages_of(range);
      ranges_[i] = ranges_[count_ - 1];
      __atomic_store_n(&count_, count_ - 1, __ATOMIC_RELEASE);
      if (range.begin < begin) (void)add({range.begin, begin, range.shared, range.stands_for});
      if (range.end > end) (void)add({end, range.end, range.shared, range.stands_for});
    }
  }
  void set_private(Range& range) {
    shared_pages_ -= pages_of(range);
    range.shared = false;
  }
  /// Returns the number of pages that can be withdrawn.
  [[nodiscard]] std::uint64_t shared_pages() const { return shared_pages_; }
  [[nodiscard]] Range* begin() { return ranges_; }
  [[nodiscard]] Range* end() { return ranges_ + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] Range& operator[](std::size_t i) { return ranges_[i]; }

 private:
  static constexpr std::size_t kMax = 8192;
  static std::uint64_t pages_of(const Range& range) {
    return range.shared ? (range.end - range.begin) / kPageBytes : 0;
  }
  Range ranges_[kMax];
  std::size_t count_;
  std::uint64_t shared_pages_;
};

/// Returns the size of an allocation's chunks, of which one in several is watched: a multiple of a
/// huge page. There are at most 128 chunks, as systems limit the number of mappings.
constexpr std::size_t chunk_bytes(std::size_t bytes) {
  const std::size_t chunk = (bytes / 128 + kHugePage - 1) / kHugePage * kHugePage;
  return chunk < kHugePage ? kHugePage : chunk;
}

/// Returns true if an allocation has fewer than `apart` chunks, so it is watched completely.
constexpr bool is_watched_whole(std::size_t bytes, std::uint64_t apart) {
  return apart <= 1 || bytes < apart * chunk_bytes(bytes);
}

/// Calls each(begin, end) for the watched parts of a large allocation: one in `apart` chunks of at
/// least 2 MiB, or all of a smaller allocation. The parts depend on the addresses only, so freeing
/// finds the same parts.
template <class Each>
void for_each_part(std::uintptr_t address, std::size_t bytes, std::uint64_t apart, Each&& each) {
  const std::uintptr_t end = address + (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  if (is_watched_whole(bytes, apart)) return each(address, end);
  const std::size_t chunk = chunk_bytes(bytes);
  // The first chunk depends on a hash of the address, so it is at different positions in different
  // arrays.
  std::size_t i = static_cast<std::size_t>(golden_hash(address / kPageBytes) >> 32) % apart;
  for (std::uintptr_t at = address / kHugePage * kHugePage + kHugePage + i * chunk;
       at + chunk <= end; at += apart * chunk)
    each(at, at + chunk);
}

}  // namespace Atoll::record::sample
