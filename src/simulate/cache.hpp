// Set-associative cache with least-recently-used replacement. Keys are line numbers, or page
// numbers for a TLB. Each entry has 4 flag bits. Entries of a set are ordered from the most to the
// least recently used.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace Atoll::simulate {

class Cache {
 public:
  using Key = std::uint64_t;  ///< below 2^60
  /// An evicted entry.
  struct Evicted {
    Key key;
    std::uint8_t flags;
  };

  Cache() = default;
  /// If `entries` is 0, the cache stores nothing. If `ways` exceeds `entries`, it is fully
  /// associative.
  Cache(std::uint64_t entries, std::uint64_t ways)
      : ways_(static_cast<std::uint32_t>(
            std::clamp<std::uint64_t>(ways, 1, std::max<std::uint64_t>(entries, 1)))),
        sets_(entries / ways_),
        mask_(std::has_single_bit(sets_) ? sets_ - 1 : 0),
        entries_(sets_ * ways_, kEmpty) {}

  [[nodiscard]] std::uint64_t sets() const { return sets_; }
  [[nodiscard]] std::uint32_t ways() const { return ways_; }

  /// Returns the entry, whose flags may be changed, and makes it the most recently used; null if
  /// absent.
  [[nodiscard]] std::uint64_t* use(Key key) {
    if (sets_ == 0) return nullptr;
    std::uint64_t* const set = set_of(key);
    if (set[0] >> kFlagBits == key) return set;
    for (std::uint32_t way = 1; way < ways_; ++way)
      if (set[way] >> kFlagBits == key) {
        const std::uint64_t entry = set[way];
        for (; way > 0; --way) set[way] = set[way - 1];
        set[0] = entry;
        return set;
      }
    return nullptr;
  }
  /// Returns the entry without a change of the order; null if absent.
  [[nodiscard]] std::uint64_t* find(Key key) {
    if (sets_ == 0) return nullptr;
    std::uint64_t* const set = set_of(key);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (set[way] >> kFlagBits == key) return set + way;
    return nullptr;
  }
  /// Prefetches the key's set into the host's cache. (always_inline: g++ drops calls of functions
  /// that only prefetch.)
  [[gnu::always_inline]] void expect(Key key) {
    if (sets_ == 0) return;
    const std::uint64_t* const set = set_of(key);
    __builtin_prefetch(set);
    if (ways_ > 8) __builtin_prefetch(set + 8);  // the next cache line of the host
  }
  /// Returns the key that an insertion of `key` would evict; kNoKey if none.
  [[nodiscard]] Key victim_of(Key key) {
    return sets_ == 0 ? kNoKey : set_of(key)[ways_ - 1] >> kFlagBits;
  }
  static constexpr Key kNoKey = ~Key{0} >> 4;
  /// Inserts a key that is absent. Returns the evicted entry.
  std::optional<Evicted> insert(Key key, std::uint8_t flags) {
    if (sets_ == 0) return Evicted{key, flags};
    std::uint64_t* const set = set_of(key);
    const std::uint64_t last = set[ways_ - 1];
    std::memmove(set + 1, set, (ways_ - 1) * sizeof *set);
    set[0] = key << kFlagBits | flags;
    if (last == kEmpty) return std::nullopt;
    return Evicted{last >> kFlagBits, static_cast<std::uint8_t>(last & kFlags)};
  }
  /// The most recently used entry of the key's set.
  [[nodiscard]] std::uint64_t* first_of(Key key) { return set_of(key); }
  /// Removes an entry. Returns its flags; empty if the key is absent.
  std::optional<std::uint8_t> remove(Key key) {
    std::uint64_t* const entry = find(key);
    if (entry == nullptr) return std::nullopt;
    const auto flags = static_cast<std::uint8_t>(*entry & kFlags);
    std::uint64_t* const end = set_of(key) + ways_;
    std::copy(entry + 1, end, entry);  // empty entries come last
    end[-1] = kEmpty;
    return flags;
  }
  void clear() { std::fill(entries_.begin(), entries_.end(), kEmpty); }

  static constexpr std::uint64_t kFlags = 15;

 private:
  static constexpr int kFlagBits = 4;
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  [[nodiscard]] std::uint64_t* set_of(Key key) {
    const std::uint64_t set = mask_ != 0 || sets_ == 1 ? key & mask_ : key % sets_;
    return entries_.data() + set * ways_;
  }

  std::uint32_t ways_ = 1;
  std::uint64_t sets_ = 0;
  std::uint64_t mask_ = 0;  ///< sets_ - 1 if sets_ is a power of two, else 0
  std::vector<std::uint64_t> entries_;
};

}  // namespace Atoll::simulate
