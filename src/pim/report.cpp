// Reports on a device: its blocks, and the fragmentation of its free units.
#include <bit>

#include "atoll/pim/device.hpp"
#include "pim/bank.hpp"

namespace Atoll::pim {
namespace {

/// Calls f(rectangle) for each block in the masks.
template <class F>
void each_block(const Bank& bank, Grid grid, std::uint32_t index, F f) {
  const auto code = [&](std::uint32_t s, std::uint32_t row) {
    const Cell& cell = bank.band(grid, row / 64)[s];
    return (cell[kHi] >> row % 64 & 1) << 1 | (cell[kLo] >> row % 64 & 1);
  };
  for (std::uint32_t b = 0; b < grid.bands; ++b)
    for (std::uint32_t s = 0; s < grid.subarrays; ++s) {
      const Cell& cell = bank.band(grid, b)[s];
      for (std::uint64_t firsts = cell[kLo] & ~cell[kHi]; firsts != 0; firsts &= firsts - 1) {
        const std::uint32_t row = b * 64 + std::countr_zero(firsts);
        Extent extent{1, 1};
        while (s + extent.subarrays < grid.subarrays && code(s + extent.subarrays, row) == 2)
          ++extent.subarrays;
        while (row + extent.rows < grid.rows && code(s, row + extent.rows) == 3) ++extent.rows;
        f(Rectangle{index, {s, row}, extent});
      }
    }
}

/// Returns the free rectangle with the most units: computes the longest run of free rows for every
/// range of subarrays.
Rectangle largest_free(const Bank& bank, Grid grid, std::uint32_t index) {
  Rectangle largest{index, {}, {}};
  std::vector<std::uint64_t> free(grid.bands);
  for (std::uint32_t left = 0; left < grid.subarrays; ++left) {
    std::fill(free.begin(), free.end(), kAll);
    for (std::uint32_t right = left; right < grid.subarrays; ++right) {
      std::uint32_t run = 0, longest = 0, end = 0;
      for (std::uint32_t b = 0; b < grid.bands; ++b) {
        free[b] &= ~used(bank.band(grid, b)[right]);
        for (std::uint32_t row = 0; row < 64;) {
          const std::uint64_t rest = free[b] >> row;
          const std::uint32_t ones = std::min<std::uint32_t>(std::countr_one(rest), 64 - row);
          run += ones;
          row += ones;
          if (run > longest) longest = run, end = b * 64 + row;
          if (row == 64) break;
          run = 0;
          row += std::min<std::uint32_t>(std::countr_zero(free[b] >> row), 64 - row);
        }
      }
      if (longest == 0) break;
      const Extent extent{right - left + 1, longest};
      if (extent.units() > largest.extent.units()) largest = {index, {left, end - longest}, extent};
    }
  }
  return largest;
}

}  // namespace

Usage Device::usage() const {
  Usage usage;
  usage.units = geometry_.units();
  std::uint64_t in_largest = 0;
  for (std::uint32_t b = 0; b < geometry_.banks; ++b) {
    Bank& one = bank(b);
    const BankLockGuard turn(one.lock, Visitor::current());
    one.update_masks(grid());
    usage.banks.push_back({one.free_units(), largest_free(one, grid(), b)});
    usage.free_units += usage.banks.back().free_units;
    in_largest += usage.banks.back().largest_free.extent.units();
  }
  if (usage.free_units != 0)
    usage.fragmentation =
        1 - static_cast<double>(in_largest) / static_cast<double>(usage.free_units);
  return usage;
}

std::vector<Rectangle> Device::blocks() const {
  std::vector<Rectangle> all;
  for (std::uint32_t b = 0; b < geometry_.banks; ++b) {
    Bank& one = bank(b);
    const BankLockGuard turn(one.lock, Visitor::current());
    one.update_masks(grid());
    each_block(one, grid(), b, [&](const Rectangle& block) { all.push_back(block); });
  }
  return all;
}

}  // namespace Atoll::pim
