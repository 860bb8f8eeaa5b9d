// Accesses to memory: the cache in front of it, and open rows.
#include "simulate/hierarchy.hpp"

namespace Atoll::simulate {

bool Hierarchy::row_is_open(std::uint16_t home, std::uint64_t row) {
  if (rows_[home].use(row) != nullptr) return true;
  rows_[home].insert(row, 0);
  return false;
}

void Hierarchy::reach_memory(LineKey line, bool write, Fetch& fetch) {
  const std::uint16_t home = fetch.home;
  const int row_bits = static_cast<int>(shape_.row_bits) - shape_.line_bits;
  if (home >= sides_.size() || !sides_[home].is_there()) {
    fetch.row_is_open = row_is_open(home, line >> row_bits);
    return;
  }
  const std::uint64_t there = homes_->line_in_memory(line);
  ++counts_.memory_side_requests;
  MemorySide::Met met;
  if (kept_sides_ != nullptr)
    met = {(*kept_sides_)[home].look(there), there};
  else
    met = sides_[home].use(there, write);
  fetch.memory_side = met.result;
  if (met.result == MemorySideResult::hit) return;
  ++counts_.memory_side_misses;
  const std::uint64_t lines = std::uint64_t{1} << shape_.memory_side[home].line_bits;
  if (met.result == MemorySideResult::missed_changed) {
    counts_.memory_side_write_backs += lines;
    fetch.victim_row_is_open = row_is_open(home, met.victim >> row_bits);
  }
  if (write && lines == 1) return;  // the whole line is overwritten
  counts_.memory_side_fills += lines;
  fetch.row_is_open = row_is_open(home, there >> row_bits);
}

void Hierarchy::write_back(LineKey line, std::vector<SideTraffic>& side) {
  ++counts_.write_backs;
  Fetch fetch{line, Source::memory, false, homes_->home_of(line, 0), 0};
  reach_memory(line, true, fetch);
  side.push_back({SideTraffic::Kind::write_back, fetch});
}

}  // namespace Atoll::simulate
