// Blocks in a bank's masks: allocates and frees them, and tells them from rectangles that aren't
// blocks.
#include "pim/bank.hpp"

#include <algorithm>

namespace Atoll::pim {

void Bank::prepare(Grid grid) {
  free_ = grid.rows * grid.subarrays;
  std::fill_n(band(grid, 0), std::size_t{grid.bands} * grid.subarrays, Cell{});
  if (grid.rows % 64 != 0)
    std::fill_n(band(grid, grid.bands - 1), grid.subarrays, both(bits(grid.rows % 64, 64)));
  std::fill_n(limits(grid, 1), std::size_t{grid.bands} * grid.subarrays, kNoLimit);
}

Place Bank::take_by_search(Grid grid, Extent extent) {
  const auto units = static_cast<std::uint32_t>(extent.units());
  const bool again = resume_.extent == extent;
  Place place = kNowhere;
  if (free_ >= units) {  // else the window may stay open, as the masks aren't read
    close_window(grid);
    place = find(grid, extent);
  }
  if (place == kNowhere && unpark_all(grid) && free_ >= units) place = find(grid, extent);
  if (place == kNowhere) {
    missed_.store(std::uint64_t{extent.rows} << 32 | extent.subarrays, std::memory_order_relaxed);
    return kNowhere;
  }
  if (again) {
    open_window(grid, place);
    if (resume_.starts != 0) return take_from_window(extent);
  }
  mark(grid, place, extent);
  return place;
}

/// Opens a window whose next block is the one found at `first`. If that isn't possible, opens none.
void Bank::open_window(Grid grid, Place first) {
  const Extent extent = resume_.extent;
  const Cell* const cell = band(grid, resume_.at.row) + resume_.at.subarray;
  resume_.across = extent.rows >= 64;
  if (!resume_.across) {
    resume_.starts = starts_of_runs(free_in_all(cell, extent.subarrays), extent.rows);
    resume_.upwards = from_the_end(grid, extent);
    // Otherwise the block extends into the next band.
    if (resume_.next_row() != first.row % 64) resume_.starts = 0;
  } else if (extent.subarrays == 1 && first.row % 64 == 0) {
    const std::uint32_t right = std::min(grid.subarrays - resume_.at.subarray, 64U);
    for (std::uint32_t s = 0; s < right; ++s)
      resume_.starts |= std::uint64_t{is_free_from(cell + s, grid, extent.rows)} << s;
  }
}

void Bank::close_window(Grid grid) {
  if (resume_.taken == 0) {
    resume_.starts = 0;
    return;
  }
  Cell* cell = band(grid, resume_.at.row) + resume_.at.subarray;
  const Extent extent = resume_.extent;
  if (!resume_.across) {
    add(cell, extent.subarrays, Cell{resume_.taken, resume_.taken & ~resume_.firsts});
    *cell ^= both(resume_.firsts);
  }
  for (std::uint64_t taken = resume_.across ? resume_.taken : 0; taken != 0;) {
    const std::uint32_t first = std::countr_zero(taken), count = std::countr_one(taken >> first);
    Cell* below = cell + first;
    std::uint32_t rows = extent.rows;
    for (; rows >= 64; rows -= 64, below += grid.subarrays) add(below, count, both(kAll));
    if (rows != 0) add(below, count, both(bits(0, rows)));
    for (std::uint32_t s = 0; s < count; ++s) cell[first + s][kHi] ^= 1;
    taken &= taken + (std::uint64_t{1} << first);  // removes its lowest run
  }
  resume_.starts = resume_.taken = resume_.firsts = 0;
}

Place Bank::take_at(Grid grid, Extent extent, std::uint32_t subarray) {
  close_window(grid);
  Place place = find_at(grid, extent, subarray);
  if (place == kNowhere && unpark_all(grid)) place = find_at(grid, extent, subarray);
  if (place != kNowhere) mark(grid, place, extent);
  return place;
}

bool Bank::take_together(Grid grid, std::span<const Extent> extents, std::span<Place> places) {
  update_masks(grid);
  for (std::uint32_t s = 0; s < grid.subarrays; ++s) {
    std::size_t done = 0;
    for (; done < extents.size(); ++done) {
      places[done] = find_at(grid, extents[done], s);
      if (places[done] == kNowhere) break;
      mark(grid, places[done], extents[done]);
    }
    if (done == extents.size()) return true;
    while (done > 0) {
      --done;
      unmark(grid, places[done], extents[done]);
    }
  }
  return false;
}

bool Bank::give_back(Grid grid, const Rectangle& r) {
  if (free_to_slot(r.first, r.extent)) return true;
  close_window(grid);
  if (!is_block(grid, r)) return false;
  for (std::size_t i = 0; i < kept_.size(); ++i)  // marked but parked, i.e. free
    if (state_[i] == Kept::parked && kept_[i].place == r.first) return false;
  const std::uint32_t slot = slot_of(r.extent);
  if (state_[slot] == Kept::parked) unmark(grid, kept_[slot].place, kept_[slot].extent);
  kept_[slot] = {r.first, r.extent};
  state_[slot] = Kept::parked;
  forget_miss();
  return true;
}

void Bank::mark(Grid grid, Place place, Extent extent) {
  const Span span(place.row, extent.rows);
  const std::uint64_t first_row = std::uint64_t{1} << place.row % 64;
  Cell* cell = band(grid, span.first) + place.subarray;
  Cell* const origin = cell;
  const Cell head = Cell{span.head, span.head & ~first_row};
  if (extent.subarrays == 1) {
    cell[0] |= head;
    if (span.first != span.last) {
#pragma GCC unroll 4
      for (std::uint32_t i = span.first + 1; i < span.last; ++i)
        *(cell += grid.subarrays) = both(kAll);
      cell[grid.subarrays] |= both(span.tail);
    }
  } else {
    add(cell, extent.subarrays, head);
    for (std::uint32_t i = span.first + 1; i <= span.last; ++i)
      add(cell += grid.subarrays, extent.subarrays, both(span.mask(i)));
  }
  *origin ^= both(first_row);
  free_ -= static_cast<std::uint32_t>(extent.units());
}

void Bank::unmark(Grid grid, Place place, Extent extent) {
  const Span span(place.row, extent.rows);
  Cell* cell = band(grid, span.first) + place.subarray;
  for (std::uint32_t i = span.first; i <= span.last; ++i, cell += grid.subarrays)
    for (std::uint32_t s = 0; s < extent.subarrays; ++s) cell[s] &= both(~span.mask(i));
  free_ += static_cast<std::uint32_t>(extent.units());
  lift_limits(grid, place, extent);
}

bool Bank::unpark_all(Grid grid) {
  bool any = false;
  for (std::size_t i = 0; i < kept_.size(); ++i)
    if (state_[i] == Kept::parked) {
      close_window(grid);
      unmark(grid, kept_[i].place, kept_[i].extent);
      state_[i] = Kept::nothing;
      any = true;
    }
  return any;
}

void Bank::update_masks(Grid grid) {
  close_window(grid);
  unpark_all(grid);
}

bool Bank::is_block(Grid grid, const Rectangle& r) const {
  const auto code = [&](std::uint32_t s, std::uint32_t row) {
    const Cell& cell = band(grid, row / 64)[s];
    return (cell[kHi] >> row % 64 & 1) << 1 | (cell[kLo] >> row % 64 & 1);
  };
  constexpr std::uint64_t kFirst = 1, kFurther = 2, kBelow = 3;
  const auto [left, top] = r.first;
  const std::uint32_t right = left + r.extent.subarrays, bottom = top + r.extent.rows;
  if (code(left, top) != kFirst) return false;
  for (std::uint32_t s = left + 1; s < right; ++s)
    if (code(s, top) != kFurther) return false;
  if (right < grid.subarrays && code(right, top) == kFurther) return false;
  if (bottom < grid.rows && code(left, bottom) == kBelow) return false;
  if (r.extent.rows == 1) return true;
  const Span span(top + 1, r.extent.rows - 1);
  std::uint64_t below = kAll;
  for (std::uint32_t i = span.first; i <= span.last; ++i) {
    const Cell& cell = band(grid, i)[left];
    below &= (cell[kHi] & cell[kLo]) | ~span.mask(i);
  }
  return below == kAll;
}

}  // namespace Atoll::pim
