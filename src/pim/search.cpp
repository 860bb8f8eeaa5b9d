// Search for free rectangles. Examines bands of 64 rows in order, with one bit of a word for each
// row of a band. Skips bands that an earlier search has found too full for the size.
#include <algorithm>
#include <bit>

#include "pim/bank.hpp"

namespace Atoll::pim {
namespace {

/// As starts_of_runs() of one word, for two consecutive words. Returns rows of the first word.
[[nodiscard]] std::uint64_t starts_of_runs(std::uint64_t free, std::uint64_t next,
                                           std::uint32_t rows) {
  for (std::uint32_t have = 1; have < rows;) {
    const std::uint32_t step = std::min(have, rows - have);
    free &= free >> step | next << (64 - step);
    next &= next >> step;
    have += step;
  }
  return free;
}

/// Number of free rows from the start of the band after `cell` on; stops at `enough`.
template <class FreeRows>
[[nodiscard]] std::uint32_t run_from(const Cell* cell, Grid grid, std::uint32_t bands,
                                     std::uint32_t enough, FreeRows free_rows) {
  std::uint32_t run = 0;
  for (; bands != 0 && run < enough; --bands, run += 64)
    if (const std::uint64_t free = free_rows(cell += grid.subarrays); free != kAll)
      return run + std::countr_one(free);
  return run;
}

[[nodiscard]] std::uint32_t first_row(Grid grid, Extent extent, std::uint64_t starts) {
  return from_the_end(grid, extent) ? 63 - std::countl_zero(starts) : std::countr_zero(starts);
}

}  // namespace

inline Place Bank::found(Grid grid, Extent extent, std::uint32_t index, std::uint32_t subarray,
                         std::uint64_t begin) {
  resume_.at = {subarray, index};
  return {subarray, index * 64 + first_row(grid, extent, begin)};
}

Place Bank::find(Grid grid, Extent extent) {
  if (resume_.extent == extent) [[likely]] {
    const Place at = resume_.at;
    const std::uint64_t begin = starts(grid, extent, at.row, at.subarray);
    if (begin != 0) return found(grid, extent, at.row, at.subarray, begin);
  } else {
    resume_ = {extent, {0, from_the_end(grid, extent) ? grid.bands - 1 : 0}};
  }
  return find_from_resume(grid, extent);
}

Place Bank::find_from_resume(Grid grid, Extent extent) {
  const bool backwards = from_the_end(grid, extent);
  const Limit* const limit = limits(grid, extent.subarrays);
  const std::uint32_t rows = within_limit(extent);
  const std::uint32_t windows = grid.subarrays - extent.subarrays + 1;
  std::uint32_t band = resume_.at.row, subarray = resume_.at.subarray;
  while (true) {
    if (limit[band] > rows) {
      for (; subarray < windows; ++subarray)
        if (const std::uint64_t begin = starts(grid, extent, band, subarray); begin != 0)
          return found(grid, extent, band, subarray, begin);
      lower_limits(grid, extent, band);
    }
    subarray = 0;
    if (backwards ? band-- == 0 : ++band == grid.bands) return kNowhere;
  }
}

Place Bank::find_at(Grid grid, Extent extent, std::uint32_t subarray) const {
  if (subarray + std::uint64_t{extent.subarrays} > grid.subarrays) return kNowhere;
  const bool backwards = from_the_end(grid, extent);
  const Limit* const limit = limits(grid, extent.subarrays);
  for (std::uint32_t i = 0; i < grid.bands; ++i) {
    const std::uint32_t band = backwards ? grid.bands - 1 - i : i;
    if (limit[band] <= within_limit(extent)) continue;
    if (const std::uint64_t begin = starts(grid, extent, band, subarray); begin != 0)
      return {subarray, band * 64 + first_row(grid, extent, begin)};
  }
  return kNowhere;
}

/// Rows of a band in which a block with the given first subarray can begin.
inline std::uint64_t Bank::starts(Grid grid, Extent extent, std::uint32_t index,
                                  std::uint32_t subarray) const {
  const Cell* const cell = band(grid, index) + subarray;
  const std::uint64_t free = free_in_all(cell, extent.subarrays);
  if (extent.rows <= 64) {
    if (free >> 63 == 0 || index + 1 == grid.bands) return starts_of_runs(free, extent.rows);
    return starts_of_runs(free, free_in_all(cell + grid.subarrays, extent.subarrays), extent.rows);
  }
  if (free >> 63 == 0) return 0;
  const std::uint32_t here = std::countl_one(free);
  const std::uint32_t bands = grid.bands - index - 1, enough = extent.rows - 1;
  // Fast check: narrow blocks take the first row, and most columns are entirely free where a tall
  // block is searched for.
  if (extent.subarrays == 1 && !from_the_end(grid, extent) &&
      (extent.rows - here + 63) / 64 <= bands &&
      is_free_from(cell + grid.subarrays, grid, extent.rows - here))
    return std::uint64_t{1} << (64 - here);
  const std::uint32_t run =
      extent.subarrays == 1
          ? run_from(cell, grid, bands, enough, [](const Cell* c) { return ~used(*c); })
          : run_from(cell, grid, bands, enough,
                     [&](const Cell* c) { return free_in_all(c, extent.subarrays); });
  if (here + run < extent.rows) return 0;
  return bits(64 - here, std::min(64 - here + (here + run - extent.rows) + 1, 64U));
}

void Bank::lower_limits(Grid grid, Extent extent, std::uint32_t index) {
  if (extent.rows >= kNoLimit) return;
  tallest_ = std::max(tallest_, extent.rows);
  Limit* limit = limits(grid, extent.subarrays) + index;
  for (std::uint32_t w = extent.subarrays; w <= grid.subarrays; ++w, limit += grid.bands)
    *limit = std::min(*limit, static_cast<Limit>(extent.rows));
}

void Bank::lift_limits(Grid grid, Place place, Extent extent) {
  resume_ = {};
  if (tallest_ == 0) return;
  // Each newly free rectangle contains one of these rows and one of these subarrays. So it is at
  // most as tall as the adjacent free rows allow, and as wide as the adjacent free subarrays allow.
  const Span span(place.row, extent.rows);
  std::uint32_t above = 0, below = 0;
  for (std::uint32_t row = place.row; row > 0 && above < tallest_;) {
    const std::uint32_t count = (row - 1) % 64 + 1;  // rows of this band that are above
    const std::uint64_t rows =
        free_in_any(band(grid, (row - 1) / 64) + place.subarray, extent.subarrays);
    const std::uint32_t run = std::min<std::uint32_t>(std::countl_one(rows << (64 - count)), count);
    above += run;
    if (run < count) break;
    row -= run;
  }
  for (std::uint32_t row = place.row + extent.rows; row < grid.rows && below < tallest_;) {
    const std::uint64_t rows = free_in_any(band(grid, row / 64) + place.subarray, extent.subarrays);
    const std::uint32_t run = std::countr_one(rows >> row % 64);
    below += run;
    if (run < 64 - row % 64) break;
    row += run;
  }
  std::uint32_t widest = 0;
  for (std::uint32_t i = span.first; i <= span.last && widest < grid.subarrays; ++i) {
    const Cell* const cell = band(grid, i);
    std::uint32_t left = place.subarray, right = place.subarray + extent.subarrays;
    for (std::uint64_t rows = span.mask(i); left > 0 && (rows &= ~used(cell[left - 1])) != 0;)
      --left;
    for (std::uint64_t rows = span.mask(i);
         right < grid.subarrays && (rows &= ~used(cell[right])) != 0;)
      ++right;
    widest = std::max(widest, right - left);
  }
  // No limit is higher than the tallest request that ever failed, so counting more than tallest_
  // rows is unnecessary.
  const std::uint64_t tall = std::uint64_t{above} + extent.rows + below + 1;
  const Limit limit = tall <= tallest_ ? static_cast<Limit>(tall) : kNoLimit;
  const std::uint32_t first = (place.row - above) / 64;
  for (std::uint32_t w = 1; w <= widest; ++w)
    for (std::uint32_t i = first; i <= span.last; ++i)
      limits(grid, w)[i] = std::max(limits(grid, w)[i], limit);
}

}  // namespace Atoll::pim
