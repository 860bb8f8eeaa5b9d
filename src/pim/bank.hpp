// One bank: the units that are in blocks, and the search for a free rectangle. Not thread-safe: the
// caller holds `lock`.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>
#include <utility>

#include "atoll/pim/device.hpp"
#include "pim/biased_lock.hpp"
#include "pim/cells.hpp"

namespace Atoll::pim {

/// Value for "no place". Searches return a Place in a register: through memory, it would be written
/// in halves and read as a whole, which stalls store forwarding.
constexpr Place kNowhere{~std::uint32_t{0}, ~std::uint32_t{0}};

class alignas(16) Bank {
 public:
  BiasedLock lock;

  /// Size of a bank with the masks and limits that follow the object.
  [[nodiscard]] static std::size_t bytes(Grid grid) {
    return sizeof(Bank) + std::size_t{grid.bands} * grid.subarrays * (sizeof(Cell) + sizeof(Limit));
  }
  void prepare(Grid grid);

  /// Index of the slot in which a block of that extent is kept for the next request.
  [[nodiscard]] static std::uint32_t slot_of(Extent e) {
    return (e.rows * 0x9E3779B1U + e.subarrays * 0x85EBCA6BU) >> 30;
  }
  /// Allocates the block that is kept for such a request.
  [[nodiscard]] Place allocate_parked(Extent extent, std::uint32_t slot) {
    if (state_[slot] != Kept::parked || !(kept_[slot].extent == extent)) return kNowhere;
    state_[slot] = Kept::live;
    return kept_[slot].place;
  }
  /// Allocates a block next to the last ones of that extent.
  [[nodiscard]] Place take_from_window(Extent extent) {
    if (resume_.starts == 0 || !(resume_.extent == extent)) return kNowhere;
    free_ -= extent.subarrays * extent.rows;
    if (resume_.across) {
      const std::uint64_t lowest = resume_.starts & -resume_.starts;
      resume_.starts ^= lowest;
      resume_.taken |= lowest;
      return {resume_.at.subarray + std::countr_zero(lowest), resume_.at.row * 64};
    }
    const std::uint32_t row =
        resume_.upwards ? 63 - std::countl_zero(resume_.starts) : std::countr_zero(resume_.starts);
    // Excludes the block's rows, and the rows above from which a block would overlap it.
    const std::uint32_t reach = std::min(row, extent.rows - 1);
    resume_.starts &= ~bits(row - reach, row + extent.rows);
    resume_.taken |= bits(row, row + extent.rows);
    resume_.firsts |= std::uint64_t{1} << row;
    return {resume_.at.subarray, resume_.at.row * 64 + row};
  }
  /// Allocates a block if any rectangle of that extent is free.
  [[nodiscard]] Place take(Grid grid, Extent extent) {
    Place place = allocate_parked(extent, slot_of(extent));
    if (place == kNowhere) place = take_from_window(extent);
    return place != kNowhere ? place : take_by_search(grid, extent);
  }
  [[nodiscard]] Place take_by_search(Grid grid, Extent extent);
  /// As take_by_search(), with a given first subarray.
  [[nodiscard]] Place take_at(Grid grid, Extent extent, std::uint32_t subarray);
  /// Allocates a block for each extent, all with the same first subarray. Returns false and
  /// allocates none if that isn't possible.
  [[nodiscard]] bool take_together(Grid grid, std::span<const Extent> extents,
                                   std::span<Place> places);

  /// Frees a block that allocate_parked() allocated, if its slot still holds it.
  [[nodiscard]] bool free_to_slot(Place first, Extent extent) {
    const std::uint32_t slot = slot_of(extent);
    if (state_[slot] != Kept::live || !(kept_[slot].place == first) ||
        !(kept_[slot].extent == extent))
      return false;
    state_[slot] = Kept::parked;
    forget_miss();
    return true;
  }
  /// Frees any block. Returns false if there is no such block.
  [[nodiscard]] bool give_back(Grid grid, const Rectangle& r);

  /// True if a search for `extent` is known to fail. Callable by any thread without the lock.
  [[nodiscard]] bool is_known_to_fail(Extent extent) const {
    const std::uint64_t missed = missed_.load(std::memory_order_relaxed);
    return extent.rows >= missed >> 32 && extent.subarrays >= (missed & 0xFFFFFFFF);
  }

  /// Brings the masks up to date: no block remains parked or unmarked.
  void update_masks(Grid grid);

  [[nodiscard]] std::uint32_t free_units() const { return free_; }  ///< parked blocks count as used

  /// Rows [64 * index, 64 * (index + 1)) of all subarrays, one cell each.
  [[nodiscard]] const Cell* band(Grid grid, std::uint32_t index) const {
    return reinterpret_cast<const Cell*>(this + 1) + std::size_t{index} * grid.subarrays;
  }

 private:
  using Limit = std::uint16_t;
  static constexpr Limit kNoLimit = std::numeric_limits<Limit>::max();
  static constexpr std::uint64_t kNoMiss = std::numeric_limits<std::uint64_t>::max();

  /// A slot for parked blocks. A freed block stays marked and waits for the next request of its
  /// extent. A block allocated from its slot stays in it, so that it can be freed without reading
  /// the masks.
  struct Slot {
    Place place;
    Extent extent;
  };
  enum class Kept : std::uint8_t { nothing, parked, live };

  /// Resume point of the search: no block of `extent` fits before `at` (first subarray and band) in
  /// search order. Repeated requests for such blocks are served from a window. It consists of rows
  /// of that band that are free in all subarrays of a block; for a tall block that begins with the
  /// band, it consists of subarrays that are free in all its rows. The masks aren't read, and are
  /// updated when the window closes.
  struct Resume {
    Extent extent;
    Place at;
    std::uint64_t starts = 0;  // rows, or subarrays from `at` on, where a block can begin
    std::uint64_t taken = 0;   // rows or subarrays of blocks that aren't marked yet
    std::uint64_t firsts = 0;  // first rows of those blocks
    bool across = false;       // the window consists of subarrays
    bool upwards = false;      // allocates from the last row down
    [[nodiscard]] std::uint32_t next_row() const {
      return upwards ? 63 - std::countl_zero(starts) : std::countr_zero(starts);
    }
  };

  // bank.cpp: blocks
  void open_window(Grid grid, Place first);
  void close_window(Grid grid);
  bool unpark_all(Grid grid);  // returns false if no block was parked
  void mark(Grid grid, Place place, Extent extent);
  void unmark(Grid grid, Place place, Extent extent);
  [[nodiscard]] bool is_block(Grid grid, const Rectangle& r) const;
  void forget_miss() {
    if (missed_.load(std::memory_order_relaxed) != kNoMiss)
      missed_.store(kNoMiss, std::memory_order_relaxed);
  }

  // search.cpp: search for free rectangles
  [[nodiscard]] Place find(Grid grid, Extent extent);
  Place found(Grid grid, Extent extent, std::uint32_t index, std::uint32_t subarray,
              std::uint64_t begin);
  [[nodiscard]] Place find_at(Grid grid, Extent extent, std::uint32_t subarray) const;
  [[nodiscard]] Place find_from_resume(Grid grid, Extent extent);
  [[nodiscard]] std::uint64_t starts(Grid grid, Extent extent, std::uint32_t index,
                                     std::uint32_t subarray) const;
  void lower_limits(Grid grid, Extent extent, std::uint32_t index);
  void lift_limits(Grid grid, Place place, Extent extent);

  [[nodiscard]] Cell* band(Grid grid, std::uint32_t index) {
    return reinterpret_cast<Cell*>(this + 1) + std::size_t{index} * grid.subarrays;
  }
  /// For each band, a limit: no block of that many subarrays and at least that many rows can begin
  /// in it. Like the paper's contig vectors [imi §4.2], limits are upper bounds of the free space,
  /// and are corrected lazily.
  [[nodiscard]] const Limit* limits(Grid grid, std::uint32_t subarrays) const {
    return reinterpret_cast<const Limit*>(band(grid, grid.bands)) +
           std::size_t{subarrays - 1} * grid.bands;
  }
  /// The number of rows to compare with a limit; always less than kNoLimit.
  [[nodiscard]] static std::uint32_t within_limit(Extent extent) {
    return std::min<std::uint32_t>(extent.rows, kNoLimit - 1);
  }
  [[nodiscard]] Limit* limits(Grid grid, std::uint32_t subarrays) {
    return const_cast<Limit*>(std::as_const(*this).limits(grid, subarrays));
  }

  std::uint32_t free_ = 0;     // number of units that aren't marked
  std::uint32_t tallest_ = 0;  // rows of the highest limit ever set
  std::atomic<std::uint64_t> missed_{
      kNoMiss};  // rows << 32 | subarrays: blocks of at least that size don't fit
  Resume resume_;
  std::array<Kept, 4> state_{};
  std::array<Slot, 4> kept_{};
};

inline Grid Device::grid() const {
  return Grid::of(geometry_);
}

inline Bank& Device::bank(std::uint32_t index) const {
  return *std::launder(reinterpret_cast<Bank*>(banks_ + index * bank_bytes_));
}

}  // namespace Atoll::pim
