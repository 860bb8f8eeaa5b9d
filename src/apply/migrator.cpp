#include "apply/migrator.hpp"

#include <algorithm>

namespace Atoll::apply {

Migrator::Migrator(int nodes, const MigratorOptions& options)
    : nodes_(static_cast<std::size_t>(nodes)), options_(options) {}

std::uint32_t Migrator::needed(const History& history) const {
  return options_.history << std::min(history.moves, 16U);
}

void Migrator::sampled(const PageId& id, int node) {
  const auto at = static_cast<std::size_t>(node);
  if (node < 0 || at >= nodes_) return;
  History& history = histories_[id];
  if (history.counts.empty()) history.counts.resize(nodes_);
  ++history.counts[at];
  ++history.total;
  ++history.since_move;
  // Halves the counts, so that old samples lose weight; more slowly the more often the page was
  // moved.
  if (history.total >= 16 * needed(history)) {
    history.total = 0;
    for (std::uint32_t& count : history.counts) history.total += count /= 2;
  }
  if (history.waits) return;
  history.waits = true;
  touched_.push_back(id);
}

std::vector<Move> Migrator::candidates() {
  std::vector<Move> found;
  for (const PageId& id : touched_) {
    const auto entry = histories_.find(id);
    if (entry == histories_.end()) continue;
    History& history = entry->second;
    history.waits = false;
    if (history.since_move < needed(history)) continue;
    const auto most = std::ranges::max_element(history.counts);
    if (*most > options_.majority * history.total)
      found.push_back({id, -1, static_cast<int>(most - history.counts.begin())});
  }
  touched_.clear();
  return found;
}

std::vector<Move> Migrator::choose(std::span<const Move> candidates,
                                   std::span<std::uint64_t> room) const {
  std::vector<Move> chosen;
  for (const Move& move : candidates) {
    const auto entry = histories_.find(move.id);
    const auto from = static_cast<std::size_t>(move.from), to = static_cast<std::size_t>(move.to);
    if (entry == histories_.end() || move.from < 0 || from == to || from >= nodes_) continue;
    const History& history = entry->second;
    if (history.counts[to] < options_.advantage * history.counts[from] || room[to] == 0) continue;
    --room[to];
    chosen.push_back(move);
  }
  return chosen;
}

void Migrator::moved(const PageId& id) {
  const auto entry = histories_.find(id);
  if (entry == histories_.end()) return;
  ++entry->second.moves;
  entry->second.since_move = 0;
}

void Migrator::forget(std::int32_t pid) {
  std::erase_if(histories_, [&](const auto& entry) { return entry.first.pid == pid; });
}

}  // namespace Atoll::apply
