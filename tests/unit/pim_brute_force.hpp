// A naive allocator that is correct by construction: it records one owner per unit and tries all
// positions. The reference for pim's tests and fuzzer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

class BruteForce {
 public:
  explicit BruteForce(const Geometry& g) : g_(g), owner_(g.units()) {}

  [[nodiscard]] std::uint32_t owner(std::uint32_t bank, std::uint32_t row,
                                    std::uint32_t subarray) const {
    return owner_[(std::size_t{bank} * g_.rows + row) * g_.subarrays + subarray];
  }

  [[nodiscard]] bool is_free(const Rectangle& r) const {
    for (std::uint32_t row = r.first.row; row < r.first.row + r.extent.rows; ++row)
      for (std::uint32_t s = r.first.subarray; s < r.first.subarray + r.extent.subarrays; ++s)
        if (owner(r.bank, row, s) != 0) return false;
    return true;
  }

  /// Returns the lowest free position in a bank, in order of rows. If `subarray` is given, only
  /// positions that begin there.
  [[nodiscard]] std::optional<Place> fit(std::uint32_t bank, Extent e,
                                         std::optional<std::uint32_t> subarray = {}) const {
    for (std::uint32_t row = 0; row + e.rows <= g_.rows; ++row)
      for (std::uint32_t s = 0; s + e.subarrays <= g_.subarrays; ++s)
        if ((!subarray || *subarray == s) && is_free({bank, {s, row}, e})) return Place{s, row};
    return {};
  }
  [[nodiscard]] bool fits_anywhere(Extent e) const {
    for (std::uint32_t b = 0; b < g_.banks; ++b)
      if (fit(b, e)) return true;
    return false;
  }

  /// Returns the maximum number of reads in a search of one bank by the paper's Equation 1: p q + S
  /// + R. p is the number of subarrays with a long enough run of free rows. q counts rows in
  /// cross-sections (as many consecutive rows as requested, each with a long enough run of free
  /// subarrays) up to the cross-section of `found`.
  [[nodiscard]] std::uint64_t equation_1(std::uint32_t bank, Extent wanted,
                                         const std::optional<Place>& found) const {
    const auto has_run = [](std::uint32_t of, std::uint32_t count, auto is_free_at) {
      std::uint32_t run = 0;
      for (std::uint32_t i = 0; i < count && run < of; ++i) run = is_free_at(i) ? run + 1 : 0;
      return run == of;
    };
    std::uint64_t p = 0;
    for (std::uint32_t s = 0; s < g_.subarrays; ++s)
      p += has_run(wanted.rows, g_.rows, [&](auto row) { return owner(bank, row, s) == 0; });
    std::vector<bool> wide_enough, in_section(g_.rows);
    for (std::uint32_t row = 0; row < g_.rows; ++row)
      wide_enough.push_back(has_run(wanted.subarrays, g_.subarrays,
                                    [&](auto s) { return owner(bank, row, s) == 0; }));
    const std::uint32_t last = found ? found->row : g_.rows - wanted.rows;
    for (std::uint32_t top = 0; top <= last; ++top)
      if (has_run(wanted.rows, wanted.rows, [&](auto i) { return wide_enough[top + i]; }))
        std::fill_n(in_section.begin() + top, wanted.rows, true);
    const auto q =
        static_cast<std::uint64_t>(std::count(in_section.begin(), in_section.end(), true));
    return p * q + g_.subarrays + g_.rows;
  }

  /// Sets the owner of a rectangle; 0 means free.
  void set(const Rectangle& r, std::uint32_t name) {
    for (std::uint32_t row = r.first.row; row < r.first.row + r.extent.rows; ++row)
      for (std::uint32_t s = r.first.subarray; s < r.first.subarray + r.extent.subarrays; ++s)
        owner_[(std::size_t{r.bank} * g_.rows + row) * g_.subarrays + s] = name;
  }

  [[nodiscard]] std::uint64_t free_units(std::uint32_t bank) const {
    std::uint64_t count = 0;
    for (std::uint32_t row = 0; row < g_.rows; ++row)
      for (std::uint32_t s = 0; s < g_.subarrays; ++s) count += owner(bank, row, s) == 0;
    return count;
  }
  /// Returns the size of the largest free rectangle, in units.
  [[nodiscard]] std::uint64_t largest_free(std::uint32_t bank) const {
    std::uint64_t largest = 0;
    for (std::uint32_t rows = 1; rows <= g_.rows; ++rows)
      for (std::uint32_t s = 1; s <= g_.subarrays; ++s)
        if (std::uint64_t{rows} * s > largest && fit(bank, {s, rows}))
          largest = std::uint64_t{rows} * s;
    return largest;
  }

 private:
  Geometry g_;
  std::vector<std::uint32_t> owner_;
};

}  // namespace Atoll::pim
