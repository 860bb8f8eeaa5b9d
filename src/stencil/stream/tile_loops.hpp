// The loops of an outer tile, with the addresses of their fields in its slot.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stencil/located_loop.hpp"
#include "stencil/stream/slot.hpp"

namespace Atoll::stencil {

class TileLoops {
 public:
  /// Sets the addresses for a tile of `chain` whose slot begins at `slot`. `queue` has the loops of
  /// the chain. Throws Error (input) if a loop reads and writes rows of one field that are in
  /// different intervals of the slot.
  void set(const Chain& chain, std::span<const Queued> queue, std::span<const StreamedField> fields,
           const OuterTile& tile, const SlotLayout& layout, std::byte* slot);
  [[nodiscard]] std::span<const LocatedLoop> all() const { return loops_; }

 private:
  std::vector<std::byte*> origins_;
  std::vector<LocatedLoop> loops_;
};

}  // namespace Atoll::stencil
