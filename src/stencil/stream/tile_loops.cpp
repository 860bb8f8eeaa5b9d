// The loops of an outer tile, with the addresses of their fields.
#include "stencil/stream/tile_loops.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "atoll/stencil/boundary.hpp"
#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

/// True if the loop is one of periodic() along the outermost dimension.
bool joins_ends(const DeclaredLoop& loop) {
  if (!loop.code->is_boundary || !loop.is_permanent) return false;
  const auto& boundary = static_cast<const detail::BoundaryLoop&>(loop);
  return boundary.layers.kind == detail::Boundary::periodic &&
         boundary.face.dimension + 1 == loop.mesh->dimensions();
}

/// Address of row 0, from the address of the first row of a room.
std::byte* origin_of(const SlotRoom& room, const StreamedField& field, std::byte* slot) {
  return slot + static_cast<std::ptrdiff_t>(room.offset) + field.zero -
         room.rows.lo * static_cast<std::ptrdiff_t>(field.row_bytes);
}

}  // namespace

void TileLoops::set(const Chain& chain, std::span<const Queued> queue,
                    std::span<const StreamedField> fields, const OuterTile& tile,
                    const SlotLayout& layout, std::byte* slot) {
  const InnerChain& inner = *tile.inner;
  std::size_t arguments = 0;
  for (const ChainLoop& loop : inner.chain.loops) arguments += loop.accesses.size();
  origins_.clear();
  origins_.reserve(arguments);
  loops_.clear();
  for (std::size_t l = 0; l < inner.loops.size(); ++l) {
    const auto number = static_cast<std::size_t>(inner.loops[l]);
    const DeclaredLoop& declared = *queue[number].loop;
    ChainLoop within = inner.chain.loops[l];
    const auto d = static_cast<std::size_t>(
        dimension_of(chain.meshes[static_cast<std::size_t>(within.mesh)], 0));
    within.range.lo[d] += tile.base;
    within.range.hi[d] += tile.base;
    LocatedLoop located{number, origins_.data() + origins_.size(), nullptr};
    for (std::size_t a = 0; a < within.accesses.size(); ++a) {
      const ChainAccess& access = within.accesses[a];
      const StreamedField& field = fields[static_cast<std::size_t>(access.field)];
      if (!field.is_streamed()) {
        origins_.push_back(declared.fields()[a].field->origin());
        continue;
      }
      const auto room_of = [&](bool reads) {
        const Range region = region_of(chain, within, access, reads);
        return region.hi[d] <= region.lo[d]
                   ? nullptr
                   : layout.room(access.field, {region.lo[d], region.hi[d]});
      };
      const SlotRoom* const own = room_of(false);
      const SlotRoom* const read = access.access == AccessMode::write ? own : room_of(true);
      const SlotRoom* const room = access.access == AccessMode::read ? read : own;
      // A loop without points in the field accesses nothing.
      origins_.push_back(room == nullptr ? nullptr : origin_of(*room, field, slot));
      if (access.access != AccessMode::read_write || read == own || read == nullptr) continue;
      if (!joins_ends(declared))
        throw Error::input(fmt::format("loop '{}'", declared.name),
                           fmt::format("reads rows of '{}' that are far from those that it writes",
                                       declared.fields()[a].field->name()),
                           "use periodic(), or a budget with room for all fields");
      located.source = origin_of(*read, field, slot);
    }
    loops_.push_back(located);
  }
}

}  // namespace Atoll::stencil
