// Addresses of fields in a slot: each interval of a tile's footprint has room of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stencil/stream/outer_plan.hpp"

namespace Atoll::stencil {

/// Rows of one field in a slot.
struct SlotRoom {
  Plan::Interval rows;
  std::uint64_t offset = 0;  ///< of the first row in the slot
};

/// The layout of a slot for one tile.
class SlotLayout {
 public:
  SlotLayout() = default;
  SlotLayout(const OuterTile& tile, std::span<const StreamedField> fields);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Offset in the slot of a row that the tile accesses; the rows after it, up to the end of the
  /// interval, follow.
  [[nodiscard]] std::uint64_t offset(int field, int row) const;
  /// The room that contains all these rows; null if there is none.
  [[nodiscard]] const SlotRoom* room(int field, Plan::Interval rows) const;

 private:
  std::vector<std::vector<SlotRoom>> rooms_;  ///< by field
  std::vector<std::uint64_t> row_bytes_;
  std::uint64_t bytes_ = 0;
};

}  // namespace Atoll::stencil
