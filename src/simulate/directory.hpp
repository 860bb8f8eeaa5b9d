// Who holds which line: for each line that any cache has, the holders, and the one that may have
// changed it. A hash table by line that grows with the caches' contents, not with the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulate/huge_allocator.hpp"

namespace Atoll::simulate {

class Directory {
 public:
  using Key = std::uint64_t;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  /// A line's entry; it is valid until the next call of add or remove.
  class Entry {
   public:
    explicit Entry(std::uint64_t* words) : words_(words) {}
    [[nodiscard]] bool is_there() const { return words_ != nullptr; }
    /// Who may have written it without telling: no other private cache has it then.
    [[nodiscard]] std::uint32_t owner() const {
      return static_cast<std::uint32_t>(words_[1] & kOwner) - 1;
    }
    void set_owner(std::uint32_t holder) { words_[1] = (words_[1] & ~kOwner) | (holder + 1); }
    [[nodiscard]] bool holds(std::uint32_t holder) const {
      return (words_[1 + word_of(holder)] & bit_of(holder)) != 0;
    }
    void add(std::uint32_t holder) { words_[1 + word_of(holder)] |= bit_of(holder); }
    void remove(std::uint32_t holder) { words_[1 + word_of(holder)] &= ~bit_of(holder); }
    /// The holders of a word, as word_of() and bit_of() number them.
    [[nodiscard]] std::uint64_t word(std::size_t number) const {
      return number == 0 ? words_[1] & ~kOwner : words_[1 + number];
    }

   private:
    std::uint64_t* words_;
  };
  /// Where a holder's bit is: the first word begins with the owner.
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
  /// The line's entry; a new one has no holders and no owner.
  [[nodiscard]] Entry find_or_add(Key line);
  /// Takes the line's entry out, if there is one without holders.
  void remove_empty(Key line);

  /// Tells the host's processor that the line's entry will be looked for soon. (Inlined always: g++
  /// leaves out calls of functions that only do so.)
  [[gnu::always_inline]] void expect(Key line) const {
    __builtin_prefetch(slots_.data() + home_of(line) * stride_);
  }

  /// How many words of holders an entry has.
  [[nodiscard]] std::size_t words() const { return words_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }
  /// True if no holder has the line any more.
  [[nodiscard]] bool is_empty(const Entry& entry) const {
    for (std::size_t i = 0; i < words_; ++i)
      if (entry.word(i) != 0) return false;
    return true;
  }

 private:
  static constexpr Key kFree = ~Key{0};
  static constexpr std::uint32_t kOwnerBits = 16;  ///< the owner's number and 1; 0: nobody
  static constexpr std::uint64_t kOwner = (std::uint64_t{1} << kOwnerBits) - 1;
  [[nodiscard]] std::uint64_t* slot(std::size_t at) { return slots_.data() + at * stride_; }
  /// Neighbours stay together: streams find them in one line of the host's.
  [[nodiscard]] std::size_t home_of(Key line) const {
    constexpr int kTogether = 2;
    constexpr Key kLowest = (Key{1} << kTogether) - 1;
    const Key group = (line >> kTogether) * 0x9e37'79b9'7f4a'7c15U >> (shift_ + kTogether);
    return static_cast<std::size_t>(group << kTogether | (line & kLowest));
  }
  [[nodiscard]] std::size_t find_slot(Key line);
  void grow();

  std::size_t words_, stride_;
  int shift_;  ///< 64 less the bits of a slot's number
  std::size_t mask_;
  std::size_t lines_ = 0;
  std::vector<std::uint64_t, HugeAllocator<std::uint64_t>>
      slots_;  ///< each: the line, its owner and holders
};

}  // namespace Atoll::simulate
