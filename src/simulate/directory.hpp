// Cache directory: for each line in any cache, its holders and the owner that may have modified it.
// A hash table by line, whose size depends on the caches' contents and not on the program's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/huge_allocator.hpp"

namespace Atoll::simulate {

class Directory {
 public:
  using Key = std::uint64_t;
  static constexpr std::uint32_t kNoOwner = ~std::uint32_t{0};

  /// A line's entry; valid until the next find_or_add() or remove_empty().
  class Entry {
   public:
    explicit Entry(std::uint64_t* words) : words_(words) {}
    [[nodiscard]] bool is_there() const { return words_ != nullptr; }
    /// The holder that may have written the line without notice; then no other private cache has
    /// the line.
    [[nodiscard]] std::uint32_t owner() const {
      return static_cast<std::uint32_t>(words_[1] & kOwner) - 1;
    }
    void set_owner(std::uint32_t holder) { words_[1] = (words_[1] & ~kOwner) | (holder + 1); }
    [[nodiscard]] bool holds(std::uint32_t holder) const {
      return (words_[1 + word_of(holder)] & bit_of(holder)) != 0;
    }
    void add(std::uint32_t holder) { words_[1 + word_of(holder)] |= bit_of(holder); }
    void remove(std::uint32_t holder) { words_[1 + word_of(holder)] &= ~bit_of(holder); }
    /// Word `number` of the holders' bit mask, as word_of() and bit_of() index it.
    [[nodiscard]] std::uint64_t word(std::size_t number) const {
      return number == 0 ? words_[1] & ~kOwner : words_[1 + number];
    }

   private:
    std::uint64_t* words_;
  };
  /// Position of a holder's bit in the mask; the first word begins with the owner.
  [[nodiscard]] static constexpr std::size_t word_of(std::uint32_t holder) {
    return (holder + kOwnerBits) / 64;
  }
  [[nodiscard]] static constexpr std::uint64_t bit_of(std::uint32_t holder) {
    return std::uint64_t{1} << (holder + kOwnerBits) % 64;
  }
  [[nodiscard]] static constexpr std::uint32_t holder_of(std::size_t word, int bit) {
    return static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(bit) - kOwnerBits;
  }

  explicit Directory(std::size_t holders);

  [[nodiscard]] Entry find(Key line);
  /// Returns the line's entry; a new entry has no holders and no owner.
  [[nodiscard]] Entry find_or_add(Key line);
  /// Removes the line's entry if it has no holders.
  void remove_empty(Key line);

  /// Prefetches the line's entry into the host's cache. (always_inline: g++ drops calls of
  /// functions that only prefetch.)
  [[gnu::always_inline]] void expect(Key line) const {
    __builtin_prefetch(slots_.data() + home_of(line) * stride_);
  }

  /// Number of words in an entry's mask of holders.
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// True if the line has no holders.
  [[nodiscard]] bool is_empty(const Entry& entry) const {
    for (std::size_t i = 0; i < words_; ++i)
      if (entry.word(i) != 0) return false;
    return true;
  }

 private:
  static constexpr Key kFree = ~Key{0};
  static constexpr std::uint32_t kOwnerBits = 16;  ///< the owner's number plus 1; 0: no owner
  static constexpr std::uint64_t kOwner = (std::uint64_t{1} << kOwnerBits) - 1;
  [[nodiscard]] std::uint64_t* slot(std::size_t at) { return slots_.data() + at * stride_; }
  /// Hash that keeps neighbouring lines together, so that streams find them in one cache line of
  /// the host.
  [[nodiscard]] std::size_t home_of(Key line) const {
    constexpr int kTogether = 2;
    constexpr Key kLowest = (Key{1} << kTogether) - 1;
    const Key group = (line >> kTogether) * 0x9e37'79b9'7f4a'7c15U >> (shift_ + kTogether);
    return static_cast<std::size_t>(group << kTogether | (line & kLowest));
  }
  [[nodiscard]] std::size_t find_slot(Key line);
  void grow();

  std::size_t words_, stride_;
  int shift_;  ///< 64 minus the number of bits of a slot index
  std::size_t mask_;
  std::size_t lines_ = 0;
  std::vector<std::uint64_t, HugeAllocator<std::uint64_t>>
      slots_;  ///< each slot: the line, then its owner and holders
};

}  // namespace Atoll::simulate
