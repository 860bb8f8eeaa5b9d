// Addresses of fields in a slot.
#include "stencil/stream/slot.hpp"

namespace Atoll::stencil {

SlotLayout::SlotLayout(const OuterTile& tile, std::span<const StreamedField> fields)
    : rooms_(fields.size()), row_bytes_(fields.size()) {
  // Direct transfers of files need no copy by the processor if address and position are equal
  // modulo a page.
  constexpr std::uint64_t kPage = 4096, kLine = 64;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const StreamedField& field = fields[f];
    if (!field.is_streamed()) continue;
    row_bytes_[f] = field.row_bytes;
    for (const Plan::Interval& rows : tile.fields[f].accessed) {
      const std::uint64_t home = field.home.position.offset + field.distance(rows.lo);
      bytes_ += (home - bytes_) % (field.home.position.file != nullptr ? kPage : kLine);
      rooms_[f].push_back({rows, bytes_});
      bytes_ += field.bytes(rows);
    }
  }
}

const SlotRoom* SlotLayout::room(int field, Plan::Interval rows) const {
  for (const SlotRoom& room : rooms_[static_cast<std::size_t>(field)])
    if (room.rows.lo <= rows.lo && rows.hi <= room.rows.hi) return &room;
  return nullptr;
}

std::uint64_t SlotLayout::offset(int field, int row) const {
  const SlotRoom& in = *room(field, {row, row + 1});
  return in.offset +
         static_cast<std::uint64_t>(row - in.rows.lo) * row_bytes_[static_cast<std::size_t>(field)];
}

}  // namespace Atoll::stencil
