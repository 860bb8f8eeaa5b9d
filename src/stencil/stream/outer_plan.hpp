// Outer tiles: parts of a chain whose data fit one slot of fast memory each [out-of-core §4]. They
// cut the outermost dimension. The part of the chain in each is planned for caches and threads like
// any chain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "stencil/stream/streamed_field.hpp"

namespace Atoll::stencil {

/// The part of a segment in an outer tile, with coordinates relative to the tile. Equal tiles share
/// one.
struct InnerChain {
  Chain chain;  ///< a loop for each interval in which the tile runs a loop of the segment
  std::vector<int> loops;  ///< for each of its loops, the loop of the outer chain
  friend bool operator==(const InnerChain&, const InnerChain&) = default;
};

/// Rows of one field in an outer tile, and their transfers. Figure 2 of the paper names them.
struct OuterRows {
  Intervals accessed;  ///< full footprint
  Intervals copied;    ///< left edge, from the slot of the tile before
  Intervals in;   ///< of the right footprint (of the full one in the first tile), from the home
  Intervals out;  ///< of the left footprint (of the full one in the last tile), to the home
};

/// One outer tile.
struct OuterTile {
  std::vector<OuterRows> fields;  ///< by field of the chain; resident fields have no transfers
  std::shared_ptr<const InnerChain> inner;
  std::size_t segment = 0;  ///< index of its segment
  int base = 0;             ///< to be added to the outermost coordinates of `inner`
};

/// Loops that run in the same outer tiles.
struct OuterSegment {
  int first = 0, end = 0;  ///< indices of loops
  int tile_rows = 0;       ///< size of a tile before its bounds are skewed
  std::vector<OuterTile> tiles;
};

/// Optimisations of §4.1 that depend on the plan.
struct StreamRules {
  bool read_only = true;    ///< data that are only read aren't written back
  bool write_first = true;  ///< data that are written first aren't read
};

/// The plan by which a chain is streamed.
struct OuterPlan {
  std::vector<OuterSegment> segments;
  std::uint64_t slot_bytes = 0;               ///< size of the largest slot
  std::uint64_t bytes_in = 0, bytes_out = 0;  ///< moved from and to the homes
  std::uint64_t bytes_copied = 0;             ///< between slots
  std::vector<std::uint64_t> row_bytes;       ///< by field; 0 for resident fields
  std::vector<bool> dropped;  ///< by field: the home lacks values that the chain has written
};

/// Plans a chain such that the data of each outer tile take at most `slot_bytes`. `fields` has an
/// element for each field of the chain. Returns nothing if that is impossible.
[[nodiscard]] std::optional<OuterPlan> make_outer_plan(const Chain& chain,
                                                       std::span<const StreamedField> fields,
                                                       std::uint64_t slot_bytes, Mode mode,
                                                       const StreamRules& rules);
/// Returns the least `slot_bytes` for which make_outer_plan() returns a plan.
[[nodiscard]] std::uint64_t least_slot_bytes(const Chain& chain,
                                             std::span<const StreamedField> fields);

}  // namespace Atoll::stencil
