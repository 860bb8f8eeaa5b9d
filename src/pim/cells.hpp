// Masks of a bank: which units are in blocks, in words of 64 rows of one subarray.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

/// The part of the geometry that a bank's functions need.
struct Grid {
  std::uint32_t rows, subarrays;
  std::uint32_t bands;  ///< of 64 rows each; the last one may have fewer

  [[nodiscard]] static Grid of(const Geometry& g) {
    return {g.rows, g.subarrays, (g.rows + 63) / 64};
  }
};

/// 64 rows of one subarray as two words, with a bit of kHi and one of kLo for each row:
///   00 free · 01 first unit of a block · 10 further subarrays of a block's first row · 11 rows
/// below.
/// So the masks alone determine where every block begins and ends. Rows beyond the bank's are 11.
using Cell = std::uint64_t __attribute__((vector_size(16)));
constexpr int kHi = 0, kLo = 1;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

[[nodiscard]] inline Cell both(std::uint64_t word) {
  return Cell{word, word};
}
[[nodiscard]] inline std::uint64_t used(Cell cell) {
  return cell[kHi] | cell[kLo];
}

/// Bits [from, to) of a word, from < to <= 64.
[[nodiscard]] constexpr std::uint64_t bits(std::uint32_t from, std::uint32_t to) {
  return (kAll >> (64 - (to - from))) << from;
}

/// Bands that rows [row, row + rows) overlap, and their rows in each: `head` in the first, `tail`
/// in the last, all in between. If there is only one band, head == tail.
struct Span {
  Span(std::uint32_t row, std::uint32_t rows)
      : first(row / 64),
        last((row + rows - 1) / 64),
        head(bits(row % 64, 64)),
        tail(bits(0, (row + rows - 1) % 64 + 1)) {
    if (first == last) head = tail = head & tail;
  }
  [[nodiscard]] std::uint64_t mask(std::uint32_t band) const {
    return band == first ? head : band == last ? tail : kAll;
  }
  std::uint32_t first, last;
  std::uint64_t head, tail;
};

/// Rows of a band that are free in all of `count` adjacent subarrays.
[[nodiscard]] inline std::uint64_t free_in_all(const Cell* cell, std::uint32_t count) {
  if (count == 1) return ~used(*cell);
  Cell sum = cell[0];
  const Cell* const end = cell + count;
  for (; end - cell >= 4; cell += 4) sum |= (cell[0] | cell[1]) | (cell[2] | cell[3]);
  for (; cell != end; ++cell) sum |= *cell;
  return ~used(sum);
}

/// Rows of a band that are free in any of `count` adjacent subarrays.
[[nodiscard]] inline std::uint64_t free_in_any(const Cell* cell, std::uint32_t count) {
  std::uint64_t taken = kAll;
  for (std::uint32_t k = 0; k < count; ++k) taken &= used(cell[k]);
  return ~taken;
}

/// True if `rows` rows of a subarray are free from the start of the band of `cell` on.
[[nodiscard]] inline bool is_free_from(const Cell* cell, Grid grid, std::uint32_t rows) {
  Cell sum{};
  const std::size_t band = grid.subarrays;
  for (; rows >= 256; rows -= 256, cell += 4 * band)
    sum |= (cell[0] | cell[band]) | (cell[2 * band] | cell[3 * band]);
  for (; rows >= 64; rows -= 64, cell += band) sum |= *cell;
  if (rows != 0) sum |= *cell & both(bits(0, rows));
  return used(sum) == 0;
}

/// Rows r of a word for which rows [r, r + rows) are free; rows <= 64.
[[nodiscard]] inline std::uint64_t starts_of_runs(std::uint64_t free, std::uint32_t rows) {
  std::uint32_t have = 1;
  for (; 2 * have <= rows; have *= 2) free &= free >> have;
  return have == rows ? free : free & free >> (rows - have);
}
/// True for wide blocks, which are searched for from the last band on; false for narrow ones, from
/// the first. So tall blocks don't fragment whole rows.
[[nodiscard]] inline bool from_the_end(Grid grid, Extent extent) {
  return 4 * std::uint64_t{extent.subarrays} > grid.subarrays;
}

/// cell |= mask for `count` adjacent cells.
inline void add(Cell* cell, std::uint32_t count, Cell mask) {
  Cell* const end = cell + count;
  for (; end - cell >= 4; cell += 4) {
    cell[0] |= mask;
    cell[1] |= mask;
    cell[2] |= mask;
    cell[3] |= mask;
  }
  for (; cell != end; ++cell) *cell |= mask;
}

}  // namespace Atoll::pim
