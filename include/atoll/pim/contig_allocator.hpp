// The allocator of the paper, as it is described [imi §4.2]: a bit for each unit and two vectors of
// the longest free runs, searched in two stages, bit by bit. Programs use Device; this one is for
// comparison. It serves one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "atoll/pim/shape.hpp"

namespace Atoll::pim {

/// The paper's allocator of runs of units.
class ContigAllocator {
 public:
  /// What the last search looked at. A search of one bank reads at most every vector element and
  /// every bit of the cross-section once: vector_elements + matrix_bits <= p q + (S + R) [imi
  /// Equation 1].
  struct Steps {
    std::uint64_t vector_elements = 0;
    std::uint64_t matrix_bits = 0;
  };

  /// Throws Error (input) in the cases of check().
  explicit ContigAllocator(const Geometry& geometry);

  /// Takes the lowest row, then the lowest subarray, of the first bank where the request fits.
  /// Returns nothing if there is no such place. Throws Error (input) in the cases of extent_of().
  [[nodiscard]] std::optional<Rectangle> allocate(Request request);
  /// Throws Error (input) if `where` isn't a block.
  void free(const Rectangle& where);

  [[nodiscard]] Steps last_search() const { return steps_; }
  /// The longest run of free subarrays in each row of a bank.
  [[nodiscard]] const std::vector<std::uint32_t>& subarray_contig(std::uint32_t bank) const {
    return banks_[bank].subarray_contig;
  }
  /// The longest run of free rows in each subarray of a bank.
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
  // The paper has no such table. It ensures that only blocks can be freed.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Extent> blocks_;
  Steps steps_;
};

}  // namespace Atoll::pim
