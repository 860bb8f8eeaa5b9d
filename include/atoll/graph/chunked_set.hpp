// A compact set of integers, which NodeSet uses when it grows. Integers with the same upper 48 bits
// form a chunk. A chunk with up to 4096 members lists their lower 16 bits; a larger one is a bitmap
// of 65,536 bits.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace Atoll::graph {

/// A chunk takes 48 bytes, plus at most 4 bytes for each member at its largest size so far, and at
/// most 8 KiB (one bit for each possible member). Empty chunks are freed. An operation on one
/// integer takes O(log(size)) comparisons. Adding to or removing from a listed chunk also moves up
/// to 8 KiB.
class ChunkedSet {
 public:
  bool add(std::uint64_t number);     ///< returns false if `number` is already a member
  bool remove(std::uint64_t number);  ///< returns false if `number` isn't a member
  [[nodiscard]] bool has(std::uint64_t number) const noexcept;
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// `other` must be a different object than this one.
  void unite(const ChunkedSet& other);
  void intersect(const ChunkedSet& other);
  void subtract(const ChunkedSet& other);
  [[nodiscard]] bool is_subset_of(const ChunkedSet& other) const noexcept;

  /// Calls visit(number) for all members, ascending.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Chunk& chunk : chunks_) {
      const std::uint64_t base = chunk.key << kLowBits;
      if (!chunk.dense) {
        for (const std::uint16_t low : chunk.words) visit(base + low);
        continue;
      }
      for (std::uint32_t word = 0; word < kWords; ++word)
        for (std::uint32_t bits = chunk.words[word]; bits != 0; bits &= bits - 1)
          visit(base + (std::uint64_t{word} * kWordBits) +
                static_cast<std::uint64_t>(std::countr_zero(bits)));
    }
  }

 private:
  static constexpr unsigned kLowBits = 16;
  static constexpr std::uint32_t kWordBits = 16;
  static constexpr std::uint32_t kWords = (1U << kLowBits) / kWordBits;  ///< words of a dense chunk

  struct Chunk {
    explicit Chunk(std::uint64_t upper) : key(upper) {}
    bool add(std::uint16_t low);
    bool remove(std::uint16_t low);
    [[nodiscard]] bool has(std::uint16_t low) const noexcept;
    void unite(const Chunk& other);
    void intersect(const Chunk& other);
    void subtract(const Chunk& other);
    [[nodiscard]] bool is_subset_of(const Chunk& other) const noexcept;
    void make_dense();
    void keep_bits(bool in_other, const Chunk& other);
    void count_bits();

    std::uint64_t key;  ///< the upper 48 bits
    /// The lower bits, ascending; for a dense chunk, kWords words of a bitmap.
    std::vector<std::uint16_t> words;
    std::uint32_t size = 0;
    bool dense = false;
  };

  [[nodiscard]] std::size_t position_of(std::uint64_t key) const noexcept;
  [[nodiscard]] const Chunk* find(std::uint64_t key) const noexcept;
  Chunk& find_or_make(std::uint64_t key);
  /// Calls change(chunk) for all chunks, then removes empty ones.
  template <class Change>
  void change_all(Change&& change);

  std::vector<Chunk> chunks_;  ///< ascending by key
  std::uint64_t size_ = 0;
};

}  // namespace Atoll::graph
