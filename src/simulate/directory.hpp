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
    [[nodiscard]] std::uint32_t owner() const { return static_cast<std::uint32_t>(words_[1]); }
    void set_owner(std::uint32_t holder) { words_[1] = holder; }
    [[nodiscard]] bool holds(std::uint32_t holder) const {
      return (words_[2 + holder / 64] >> holder % 64 & 1) != 0;
    }
    void add(std::uint32_t holder) { words_[2 + holder / 64] |= std::uint64_t{1} << holder % 64; }
    void remove(std::uint32_t holder) {
      words_[2 + holder / 64] &= ~(std::uint64_t{1} << holder % 64);
    }
    [[nodiscard]] std::uint64_t word(std::size_t number) const { return words_[2 + number]; }

   private:
    std::uint64_t* words_;
  };

  explicit Directory(std::size_t holders);

  [[nodiscard]] Entry find(Key line);
  /// The line's entry; a new one has no holders and no owner.
  [[nodiscard]] Entry find_or_add(Key line);
  /// Takes out an entry, which must be there.
  void remove(Key line);

  /// Tells the host's processor that the line's entry will be looked for soon.
  void expect(Key line) const { __builtin_prefetch(slots_.data() + home_of(line) * stride_); }

  /// How many words of 64 holders an entry has.
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
  [[nodiscard]] std::uint64_t* slot(std::size_t at) { return slots_.data() + at * stride_; }
  [[nodiscard]] std::size_t home_of(Key line) const {
    return static_cast<std::size_t>(line * 0x9e37'79b9'7f4a'7c15U >> shift_);
  }
  [[nodiscard]] std::size_t find_slot(Key line);
  void grow();

  std::size_t words_, stride_;
  int shift_;  ///< 64 less the bits of a slot's number
  std::size_t mask_;
  std::size_t lines_ = 0;
  std::vector<std::uint64_t, HugeAllocator<std::uint64_t>>
      slots_;  ///< each: the line, its owner, its holders
};

}  // namespace Atoll::simulate
