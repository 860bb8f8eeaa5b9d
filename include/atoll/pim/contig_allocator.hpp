// The paper's allocator as described there [imi §4.2]: a bit per unit and two vectors of the
// longest free runs, searched in two stages, bit by bit. Only for comparison: programs use Device.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

/// Allocator of runs of units as the paper describes it.
class ContigAllocator {
 public:
  /// Numbers of elements that the last search read. A search of one bank reads every vector element
  /// and every bit of the cross-section at most once: vector_elements + matrix_bits <= p q + (S +
  /// R) [imi Equation 1].
  struct Steps {
    std::uint64_t vector_elements = 0;
    std::uint64_t matrix_bits = 0;
  };

  /// Throws Error (input) in the cases of check().
  explicit ContigAllocator(const Geometry& geometry);

  /// Allocates in the first bank where the request fits, at the lowest row and then the lowest
  /// subarray. Returns empty if it fits in no bank. Throws Error (input) in the cases of
  /// extent_of().
  [[nodiscard]] std::optional<Rectangle> allocate(Request request);
  /// Throws Error (input) if `where` isn't an allocated block.
  void free(const Rectangle& where);

  [[nodiscard]] Steps last_search() const { return steps_; }
  /// Longest run of free subarrays in each row of a bank.
  [[nodiscard]] const std::vector<std::uint32_t>& subarray_contig(std::uint32_t bank) const {
    return banks_[bank].subarray_contig;
  }
  /// Longest run of free rows in each subarray of a bank.
  [[nodiscard]] const std::vector<std::uint32_t>& row_contig(std::uint32_t bank) const {
    return banks_[bank].row_contig;
  }

 private:
  struct Bank {
    std::vector<bool> used;  // row by row
    std::vector<std::uint32_t> subarray_contig, row_contig;
  };
  [[nodiscard]] std::optional<Place> search(const Bank& bank, Extent extent);
  void fill(const Rectangle& where, bool used);

  Geometry g_;
  std::vector<Bank> banks_;
  // Not in the paper: ensures that only blocks can be freed.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Extent> blocks_;
  Steps steps_;
};

}  // namespace Atoll::pim
