// Splits a graph without libraries, by greedy growing.
#include <algorithm>
#include <limits>
#include <queue>

#include "plan/split_graph.hpp"

namespace Atoll::detail {
namespace {

constexpr std::uint32_t kNoPart = std::numeric_limits<std::uint32_t>::max();

}  // namespace

std::vector<std::uint32_t> order_from_peripheral_vertex(const AffinityGraph& graph,
                                                        std::uint32_t start) {
  const std::size_t count = graph.vertices();
  std::vector<std::uint32_t> order;
  for (int search = 0; search < 2; ++search) {
    if (search > 0) start = order.back();
    order.clear();
    std::vector<bool> met(count);
    std::uint32_t root = start;
    for (std::uint32_t other = 0; order.size() < count; root = other++) {
      if (met[root]) continue;
      met[root] = true;
      order.push_back(root);
      for (std::size_t at = order.size() - 1; at < order.size(); ++at) {
        const std::uint32_t vertex = order[at];
        for (std::uint64_t edge = graph.begin[vertex]; edge < graph.begin[vertex + 1]; ++edge)
          if (const std::uint32_t next = graph.neighbours[edge]; !met[next]) {
            met[next] = true;
            order.push_back(next);
          }
      }
    }
  }
  return order;
}

Parts strip_parts(const AffinityGraph& graph, const Shares& shares, std::uint32_t seed) {
  const std::size_t count = graph.vertices();
  Parts parts(count);
  if (count == 0) return parts;
  std::uint32_t part = 0;
  double weight = 0;
  for (const std::uint32_t vertex :
       order_from_peripheral_vertex(graph, static_cast<std::uint32_t>(seed % count))) {
    while (part + 1 < shares.weights.size() && weight >= shares.weights[part]) {
      weight -= shares.weights[part];
      ++part;
    }
    parts[vertex] = part;
    weight += graph.work_of(vertex);
  }
  return parts;
}

Parts grow_parts(const AffinityGraph& graph, const Shares& shares, std::uint32_t seed) {
  const std::size_t count = graph.vertices();
  Parts parts(count, kNoPart);
  if (count == 0) return parts;
  const auto order = order_from_peripheral_vertex(graph, static_cast<std::uint32_t>(seed % count));
  // A vertex's gain: its edge weight to the growing part, less that to vertices without a part.
  std::vector<std::int64_t> gains(count);
  for (std::size_t vertex = 0; vertex < count; ++vertex)
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at)
      gains[vertex] -= graph.weights[at];
  std::vector<std::uint32_t> positions(count);  // in `order`; the tie-break of equal gains
  for (std::uint32_t at = 0; at < count; ++at) positions[order[at]] = at;

  using Entry = std::pair<std::int64_t, std::uint32_t>;  // gain, ~position
  std::size_t first = 0;                                 // all earlier vertices have a part
  for (std::uint32_t part = 0; part < shares.weights.size(); ++part) {
    const bool last = part + 1 == shares.weights.size();
    std::priority_queue<Entry> queue;
    std::vector<std::uint32_t> touched;  // their gains include weight to this part
    double weight = 0;
    const auto take = [&](std::uint32_t vertex) {
      parts[vertex] = part;
      weight += graph.work_of(vertex);
      for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at) {
        const std::uint32_t next = graph.neighbours[at];
        if (parts[next] != kNoPart) continue;
        gains[next] += 2 * std::int64_t{graph.weights[at]};
        touched.push_back(next);
        queue.emplace(gains[next], ~positions[next]);
      }
    };
    while (last || weight < shares.weights[part]) {
      while (!queue.empty() && (parts[order[~queue.top().second]] != kNoPart ||
                                gains[order[~queue.top().second]] != queue.top().first))
        queue.pop();
      if (!queue.empty()) {
        const std::uint32_t vertex = order[~queue.top().second];
        queue.pop();
        take(vertex);
        continue;
      }
      while (first < count && parts[order[first]] != kNoPart) ++first;
      if (first == count) break;
      take(order[first]);
    }
    // The part is complete: its weight no longer counts in the gains of the remaining vertices.
    for (const std::uint32_t vertex : touched) {
      if (parts[vertex] != kNoPart) continue;
      gains[vertex] = 0;
      for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at)
        if (parts[graph.neighbours[at]] == kNoPart) gains[vertex] -= graph.weights[at];
    }
  }
  return parts;
}

}  // namespace Atoll::detail
