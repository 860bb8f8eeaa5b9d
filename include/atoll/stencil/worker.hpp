// What a thread that runs loops has of its own: room for a block of reductions' values. For the
// library: programs don't use it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "atoll/stencil/range.hpp"
#include "atoll/stencil/reduction.hpp"

namespace Atoll::stencil::detail {

/// The points of a row whose values are reduced together. Sums have the same bits because a block
/// is always summed whole: the plan doesn't cut it.
inline constexpr int kBlock = 256;

/// One queued loop's use of a reduction.
struct ReductionUse {
  ReductionStorage* target = nullptr;
  ReduceOp op = ReduceOp::sum;
  ElementType type = ElementType::float64;
  int count = 1;
  friend bool operator==(const ReductionUse&, const ReductionUse&) = default;
};

/// A thread's side of the loop that it runs (src/stencil/worker.cpp).
class Worker {
 public:
  /// The buffer of one reduction: count rows of kBlock values, and spare ones.
  template <class T>
  [[nodiscard]] T* buffer(int reduction) const {
    return reinterpret_cast<T*>(buffers[reduction]);
  }
  /// Where the block that begins at x ends, or the box does.
  [[nodiscard]] int block_end(int x, int box_end) const {
    const int end = x + kBlock - (x - range.lo[0]) % kBlock;
    return end < box_end ? end : box_end;
  }
  /// Fills the buffers with what changes no result.
  void begin_block(int points) const;
  /// Combines the buffers' first `points` values. The block begins at x in row (y, z).
  void end_block(int x, int y, int z, int points) const;

  /// One reduction of the loop that runs.
  struct Slot {
    ReductionUse use;
    std::byte* result = nullptr;  ///< this thread's values; of a sum, those of all blocks
  };
  std::vector<Slot> slots;          ///< the loop's reductions
  std::vector<std::byte*> buffers;  ///< one for each, room for its blocks
  Range range;                      ///< the loop's whole range: where its blocks begin
  std::string_view loop;            ///< the loop's name
};

/// Throws Error (input): the loop's kernel gives a value that the reduction of `count` values
/// doesn't have. `which`: its number, if that is known.
[[noreturn]] void refuse_values(std::string_view loop, std::size_t count,
                                std::optional<int> which = {});

/// How an argument is kept while its loop is queued (arguments.hpp).
template <class Argument>
struct Bound;

}  // namespace Atoll::stencil::detail
