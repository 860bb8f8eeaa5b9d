// Memories with a cache in front. Each read and write-back passes through that cache and occupies
// it for one line transfer. A hit has the cache's own latency. A miss takes the memory's latency
// plus that of the look-up. Then the fill occupies the cache for one more line transfer, for which
// no access waits.
#include "simulate/network.hpp"

namespace Atoll::simulate {

Ticks Network::read_through(std::uint32_t node, const Fetch& fetch, Ticks start,
                            LatencyBreakdown& blame) {
  const std::size_t between = pair(node, fetch.home);
  const MemorySideTiming& side = timing_->memory_side[fetch.home];
  const bool is_hit = fetch.memory_side == MemorySideResult::hit;
  const Part way = timing_->is_local[between] != 0 ? kLocal : kRemote;
  traffic_[between] += timing_->line_bytes;
  const Ticks hit_latency = memory_side_latency(node, fetch.home);
  // The request reaches the cache at the same time for a hit and a miss.
  const Ticks asked = start + hit_latency / 2;
  Ticks waited = add(sides_[fetch.home], asked, side.line, timing_->line_bytes);
  blame.add(part_of_memory_side(fetch.home), waited);
  Ticks latency = hit_latency;
  if (is_hit) {
    blame.add(kMemorySide, side.latency);
    blame.add(way, hit_latency - side.latency);
  } else {
    latency = timing_->latency[between] + side.check;
    blame.add(kMemorySide, side.check);
    blame.add(way, timing_->latency[between]);
    const Ticks known = start + side.check + timing_->latency[between] / 2 + waited;
    write_back_victim(fetch, known);
    const Ticks at_memory = fill(fetch, known);
    blame.add(part_of_controller(fetch.home), at_memory);
    waited += at_memory;
  }
  return start + latency + waited +
         pass(timing_->from_memory[between], start + latency / 2 + waited, &blame);
}

void Network::write_through(const Fetch& fetch, Ticks at) {
  const MemorySideTiming& side = timing_->memory_side[fetch.home];
  const Ticks waited = add(sides_[fetch.home], at, side.line, timing_->line_bytes);
  if (fetch.memory_side == MemorySideResult::hit) return;
  write_back_victim(fetch, at + waited);
  if (side.fill_lines > 1) fill(fetch, at + waited);  // the rest of the cache's line
}

void Network::write_back_victim(const Fetch& fetch, Ticks at) {
  if (fetch.memory_side != MemorySideResult::missed_changed) return;
  const std::uint32_t lines = timing_->memory_side[fetch.home].fill_lines;
  const Ticks open = timing_->write_open[fetch.home];
  const Ticks first = fetch.victim_row_is_open ? open : timing_->write_closed[fetch.home];
  add(controllers_[fetch.home], at, first + (lines - 1) * open,
      std::uint64_t{timing_->line_bytes} * lines);
}

Ticks Network::fill(const Fetch& fetch, Ticks at) {
  const MemorySideTiming& side = timing_->memory_side[fetch.home];
  const Ticks open = timing_->read_open[fetch.home];
  const Ticks first = fetch.row_is_open ? open : timing_->read_closed[fetch.home];
  const std::uint64_t bytes = std::uint64_t{timing_->line_bytes} * side.fill_lines;
  const Ticks waited =
      add(controllers_[fetch.home], at, first + (side.fill_lines - 1) * open, bytes);
  add(sides_[fetch.home], at + waited, side.line * side.fill_lines, bytes);
  return waited;
}

}  // namespace Atoll::simulate
