// Fills the queues by thread, by an array's placement or by a schedule, and selects the next queue
// to steal from.
#include "atoll/parallel/chunk_queues.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <variant>

#include "array/placements.hpp"
#include "memory/stripes.hpp"

namespace Atoll {
namespace {

/// The home nodes of an array's chunks, one for each unit of 2^shift chunks.
struct Homes {
  unsigned shift = 0;
  std::vector<std::size_t> node_of_unit;  ///< indices in Neighbours::nodes()
};

constexpr std::uint64_t kChunksInGranule = 8;  ///< smaller granules give no home
constexpr std::uint64_t kUnits = 4096;         ///< enough to distinguish the parts of an array

/// Returns no units if the layout prefers no thread.
Homes homes_of(const RawArray& array, std::size_t chunks, const Neighbours& team) {
  if (array.copies() != 1 || team.nodes().size() == 1) return {};
  const std::vector<memory::Stripe> stripes = array.block(0).stripes();
  const auto elsewhere = [&](const memory::Stripe& stripe) {
    return stripe.node != stripes.front().node;
  };
  if (std::none_of(stripes.begin(), stripes.end(), elsewhere)) return {};

  const std::uint64_t chunk_bytes = kLoopChunk * array.element_bytes();
  std::uint64_t unit_chunks = std::max<std::uint64_t>(1, chunks / kUnits);
  for (const memory::Stripe& stripe : stripes) {
    if (stripe.count == 1) continue;
    if (stripe.bytes / chunk_bytes < kChunksInGranule) return {};
    // a quarter of a granule: if chunks and granules aren't aligned, few units are on two nodes
    unit_chunks = std::min(unit_chunks, stripe.bytes / chunk_bytes / 4);
  }
  Homes homes;
  homes.shift = static_cast<unsigned>(std::bit_width(unit_chunks) - 1);
  const std::uint64_t unit_bytes = chunk_bytes << homes.shift;
  const std::size_t units = ((chunks - 1) >> homes.shift) + 1;
  // Returns the number of units whose middle is before this byte.
  const auto units_before = [&](std::uint64_t byte) {
    const std::uint64_t half = unit_bytes / 2;
    const std::uint64_t before = byte <= half ? 0 : (byte - half - 1) / unit_bytes + 1;
    return byte >= array.bytes() ? units : std::min<std::uint64_t>(before, units);
  };
  homes.node_of_unit.resize(units);
  for (const memory::Stripe& stripe : stripes) {
    const std::size_t node = team.nearest_to(stripe.node);
    for (std::uint64_t i = 0; i < stripe.count; ++i) {
      const std::uint64_t begin = stripe.offset + i * stripe.stride;
      for (auto unit = units_before(begin); unit < units_before(begin + stripe.bytes); ++unit)
        homes.node_of_unit[unit] = node;
    }
  }
  return homes;
}

/// Returns true if, for all threads t, the home of part t is thread t's node.
bool has_a_part_for_each_thread(const Partitioned& parts, const Neighbours& team) {
  if (parts.nodes.size() != team.threads()) return false;
  for (std::size_t thread = 0; thread < team.threads(); ++thread)
    if (team.nearest_to(parts.nodes[thread]) != team.position_of(thread).node) return false;
  return true;
}

/// Returns true if each node's chunks are within a quarter of its threads' equal share.
bool is_even(const std::vector<std::size_t>& chunks_of_node, const Neighbours& team) {
  const double all = std::accumulate(chunks_of_node.begin(), chunks_of_node.end(), 0.0);
  for (std::size_t node = 0; node < chunks_of_node.size(); ++node) {
    const double part = all * static_cast<double>(team.nodes()[node].threads.size()) /
                        static_cast<double>(team.threads());
    const double real = static_cast<double>(chunks_of_node[node]);
    if (real < 0.75 * part || real > 1.25 * part) return false;
  }
  return true;
}

}  // namespace

ChunkQueues::ChunkQueues(const Neighbours& team, std::size_t chunks)
    : team_(team), queues_(team.threads()) {
  share_equally(chunks);
}

ChunkQueues::ChunkQueues(const Neighbours& team, const RawArray& array, LoopSchedule schedule)
    : team_(team), queues_(team.threads()) {
  const std::size_t chunks = array.size() / kLoopChunk + (array.size() % kLoopChunk != 0);
  const auto* parts = std::get_if<Partitioned>(&array.layout().where);
  const bool given = parts != nullptr && !parts->ends.empty();
  if (given && has_a_part_for_each_thread(*parts, team)) {
    for (std::size_t thread = 0, begin = 0; thread < queues_.size(); ++thread) {
      const std::size_t end = thread + 1 == queues_.size()
                                  ? chunks
                                  : (parts->ends[thread] + kLoopChunk / 2) / kLoopChunk;
      queues_[thread].next.store(std::exchange(begin, end), std::memory_order_relaxed);
      queues_[thread].end = end;
    }
    return;
  }
  const Homes homes = homes_of(array, chunks, team);
  const std::size_t units = homes.node_of_unit.size();
  std::vector<std::size_t> units_of_node(team.nodes().size()), chunks_of_node = units_of_node;
  for (const std::size_t node : homes.node_of_unit) ++units_of_node[node];
  for (std::size_t node = 0; node < chunks_of_node.size(); ++node)
    chunks_of_node[node] = units_of_node[node] << homes.shift;
  if (units > 0) chunks_of_node[homes.node_of_unit.back()] -= (units << homes.shift) - chunks;
  if (units == 0 || (schedule == LoopSchedule::fixed && !given && !is_even(chunks_of_node, team))) {
    share_equally(chunks);
    return;
  }
  unit_shift_ = homes.shift;
  std::vector<std::size_t> next;  // by node: the next free index in order_
  for (std::size_t node = 0, unit = 0; node < units_of_node.size(); ++node) {
    next.push_back(unit);
    const std::vector<std::size_t>& threads = team.nodes()[node].threads;
    for (std::size_t i = 0; i < threads.size(); ++i)
      fill(queues_[threads[i]], unit << unit_shift_, chunks_of_node[node], i, threads.size());
    unit += units_of_node[node];
  }
  order_.resize(units);
  for (std::size_t unit = 0; unit < units; ++unit) order_[next[homes.node_of_unit[unit]]++] = unit;
}

ChunkQueues::ChunkQueues(const Neighbours& team, const ScheduledLoop& loop)
    : team_(team), queues_(team.threads()) {
  for (std::size_t thread = 0; thread < queues_.size(); ++thread) {
    queues_[thread].next.store(loop.begin[thread], std::memory_order_relaxed);
    queues_[thread].end = loop.begin[thread + 1];
  }
}

void ChunkQueues::share_equally(std::size_t chunks) noexcept {
  for (std::size_t i = 0; i < queues_.size(); ++i) fill(queues_[i], 0, chunks, i, queues_.size());
}

void ChunkQueues::fill(Queue& queue, std::size_t begin, std::size_t size, std::size_t part,
                       std::size_t parts) noexcept {
  const Slice slice = slice_of(size, static_cast<int>(part), static_cast<int>(parts));
  queue.next.store(begin + slice.begin, std::memory_order_relaxed);
  queue.end = begin + slice.end;
}

bool ChunkQueues::Taker::next_queue() noexcept {
  const std::vector<Neighbours::Node>& nodes = queues_.team_.nodes();
  const Neighbours::ThreadPosition position = queues_.team_.position_of(thread_);
  const std::vector<std::size_t>& nearest = nodes[position.node].nearest;
  if (node_ == nearest.size()) return false;
  if (++victim_ == nodes[nearest[node_]].threads.size()) {
    victim_ = 0;
    if (++node_ == nearest.size()) return false;
  }
  const std::vector<std::size_t>& threads = nodes[nearest[node_]].threads;
  queue_ = &queues_.queues_[threads[(position.rank + victim_) % threads.size()]];
  return true;
}

}  // namespace Atoll
