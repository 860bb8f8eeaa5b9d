// Per-thread state for running loops: addresses of fields, and buffers for reductions. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "atoll/stencil/range.hpp"
#include "atoll/stencil/reduction.hpp"

namespace Atoll::stencil::detail {

/// Number of points of a row that are reduced together. Plans never split a block, so that sums
/// have the same bits for any plan.
inline constexpr int kBlock = 256;

/// One reduction argument of a queued loop.
struct ReductionUse {
  ReductionStorage* target = nullptr;
  ReduceOp op = ReduceOp::sum;
  ElementType type = ElementType::float64;
  int count = 1;
  friend bool operator==(const ReductionUse&, const ReductionUse&) = default;
};

/// A thread's state for the loop that it runs (src/stencil/reduce.cpp).
class Worker {
 public:
  /// Buffer of one reduction: `count` rows of kBlock values, and spare rows.
  template <class T>
  [[nodiscard]] T* buffer(int reduction) const {
    return reinterpret_cast<T*>(buffers[reduction]);
  }
  /// Returns the end of the block that begins at x, limited to the end of the box.
  [[nodiscard]] int block_end(int x, int box_end) const {
    const int end = x + kBlock - (x - range.lo[0]) % kBlock;
    return end < box_end ? end : box_end;
  }
  /// Fills the buffers with the neutral element of each reduction.
  void begin_block(int points) const;
  /// Combines the first `points` values of each buffer. The block begins at x in row (y, z).
  void end_block(int x, int y, int z, int points) const;

  /// One reduction of the current loop.
  struct Slot {
    ReductionUse use;
    std::byte* result = nullptr;  ///< this thread's values; for a sum, those of all blocks
  };
  std::vector<Slot> slots;          ///< reductions of the loop
  std::vector<std::byte*> buffers;  ///< one block buffer for each slot
  Range range;                      ///< range of the loop, at whose start the first block of each
                                    ///< row begins
  std::string_view loop;            ///< name of the loop
  /// Address of component 0 at point (0, 0, 0) of each field argument of the loop.
  std::byte* const* origins = nullptr;
};

/// Throws Error (input): the loop's kernel accesses a value that the reduction of `count` values
/// doesn't have. `which` is its index, if known.
[[noreturn]] void refuse_values(std::string_view loop, std::size_t count,
                                std::optional<int> which = {});

/// Stored form of an argument while its loop is queued (arguments.hpp).
template <class Argument>
struct Bound;

}  // namespace Atoll::stencil::detail
