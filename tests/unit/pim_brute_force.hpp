// An allocator that can't be wrong: one owner for each unit, every place tried. What pim's tests
// and fuzzer compare with.
#pragma once

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

  /// The lowest free place in a bank, rows first; of one subarray only, if told.
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

  /// `name` 0: free.
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
  /// Units of the largest free rectangle.
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
