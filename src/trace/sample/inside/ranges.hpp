// The parts of the address space that lie in our file. Guarded by one lock; valid after every
// single store, as a forked child may find it in the middle of a change.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::sample {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

struct Range {
  std::uintptr_t begin, end;
  bool shared;  ///< can be withdrawn; else it has become private, as the program had it
  /// In sixteenths: of its allocation so much is there for each page that is watched.
  std::uint32_t stands_for = kSixteenths;
  static constexpr std::uint32_t kSixteenths = 16;
};

/// Few enough to be searched: programs with more large allocations than this have a part of them
/// watched.
class Ranges {
 public:
  /// False: the table is full.
  [[nodiscard]] bool add(const Range& range) {
    if (count_ == kMost) return false;
    ranges_[count_] = range;
    shared_pages_ += pages_of(range);
    __atomic_store_n(&count_, count_ + 1, __ATOMIC_RELEASE);
    return true;
  }
  /// Takes [begin, end) out of what is there.
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
  /// That can be withdrawn.
  [[nodiscard]] std::uint64_t shared_pages() const { return shared_pages_; }
  [[nodiscard]] Range* begin() { return ranges_; }
  [[nodiscard]] Range* end() { return ranges_ + count_; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] Range& operator[](std::size_t i) { return ranges_[i]; }

 private:
  static constexpr std::size_t kMost = 8192;
  static std::uint64_t pages_of(const Range& range) {
    return range.shared ? (range.end - range.begin) / kPage : 0;
  }
  Range ranges_[kMost];
  std::size_t count_;
  std::uint64_t shared_pages_;
};

/// Which parts of a large allocation are watched: of chunks of at least 2 MiB one in `apart`, all
/// of what is smaller than that many chunks. Depends on the addresses alone, so that freeing finds
/// the same. At most 128 chunks, for systems limit the number of mappings. Calls each(begin, end).
template <class Each>
void for_each_part(std::uintptr_t address, std::size_t bytes, std::uint64_t apart, Each&& each) {
  const std::uintptr_t end = address + (bytes + kPage - 1) / kPage * kPage;
  std::size_t chunk = (bytes / 128 + kHugePage - 1) / kHugePage * kHugePage;
  if (chunk < kHugePage) chunk = kHugePage;
  if (apart <= 1 || bytes < apart * chunk) return each(address, end);
  // The first is drawn from the address, lest it be the same part of every array.
  std::size_t i = static_cast<std::size_t>((address / kPage * 0x9e3779b97f4a7c15) >> 32) % apart;
  for (std::uintptr_t at = address / kHugePage * kHugePage + kHugePage + i * chunk;
       at + chunk <= end; at += apart * chunk)
    each(at, at + chunk);
}

}  // namespace Atoll::trace::sample
