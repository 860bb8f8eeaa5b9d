// Orders by breadth-first walks through components. On a shuffled mesh, nearly every access to a
// row misses the cache, so rows are prefetched some steps before the walk uses them.
#include "atoll/plan/order_graph.hpp"

#include <algorithm>
#include <numeric>

namespace Atoll {
namespace {

class Walk {
 public:
  explicit Walk(const AffinityGraph& graph)
      : graph_(graph), seen_(graph.vertices()), degree_(graph.vertices()) {
    for (std::size_t vertex = 0; vertex < graph.vertices(); ++vertex)
      degree_[vertex] = static_cast<std::uint32_t>(graph.begin[vertex + 1] - graph.begin[vertex]);
  }

  struct Levels {
    std::size_t vertices = 0;
    std::size_t count = 0;
    std::size_t last = 0;  ///< position in `out` at which the last level begins
  };

  [[nodiscard]] bool seen(std::size_t vertex) const { return seen_[vertex] != 0; }
  [[nodiscard]] std::uint32_t degree(std::uint32_t vertex) const { return degree_[vertex]; }

  /// Writes the component of `start` to `out`, level by level. A vertex's neighbours are written by
  /// degree if `by_degree`, else by number. `round` must differ between the walks of a component,
  /// from 1 on.
  Levels levels(std::uint32_t start, std::uint8_t round, bool by_degree, std::uint32_t* out) {
    Levels levels;
    std::size_t tail = 0, level_end = 1;
    out[tail++] = start;
    seen_[start] = round;
    for (std::size_t head = 0; head < tail; ++head) {
      if (head == level_end) {
        ++levels.count;
        levels.last = level_end;
        level_end = tail;
      }
      if (head + kFar < tail) __builtin_prefetch(&graph_.begin[out[head + kFar]]);
      if (head + kNear < tail) {
        const std::uint64_t row = graph_.begin[out[head + kNear]];
        __builtin_prefetch(graph_.neighbours.data() + row);
        __builtin_prefetch(graph_.neighbours.data() + row + 8);
      }
      const std::size_t children = tail;
      const std::uint32_t vertex = out[head];
      for (std::uint64_t i = graph_.begin[vertex]; i < graph_.begin[vertex + 1]; ++i) {
        const std::uint32_t other = graph_.neighbours[i];
        if (seen_[other] == round) continue;
        seen_[other] = round;
        out[tail++] = other;
      }
      if (by_degree && tail - children > 1) sort_by_degree(out + children, out + tail);
    }
    levels.vertices = tail;
    ++levels.count;
    return levels;
  }

 private:
  static constexpr std::size_t kFar = 16, kNear = 8;
  static constexpr std::ptrdiff_t kFew = 24;

  /// Sorts stably: equal degrees stay in ascending order of numbers.
  void sort_by_degree(std::uint32_t* begin, std::uint32_t* end) {
    if (end - begin <= kFew) {
      for (std::uint32_t* next = begin + 1; next < end; ++next) {
        const std::uint32_t vertex = *next, degree = degree_[vertex];
        std::uint32_t* at = next;
        for (; at > begin && degree_[at[-1]] > degree; --at) *at = at[-1];
        *at = vertex;
      }
      return;
    }
    keys_.clear();
    for (const std::uint32_t* at = begin; at < end; ++at)
      keys_.push_back(std::uint64_t{degree_[*at]} << 32 | *at);
    std::sort(keys_.begin(), keys_.end());
    for (const std::uint64_t key : keys_) *begin++ = static_cast<std::uint32_t>(key);
  }

  const AffinityGraph& graph_;
  std::vector<std::uint8_t> seen_;  ///< round of the last walk that visited the vertex
  std::vector<std::uint32_t> degree_;
  std::vector<std::uint64_t> keys_;
};

std::vector<std::uint32_t> breadth_first(const AffinityGraph& graph) {
  std::vector<std::uint32_t> order(graph.vertices());
  Walk walk(graph);
  std::size_t done = 0;
  for (std::uint32_t vertex = 0; done < order.size(); ++vertex)
    if (!walk.seen(vertex)) done += walk.levels(vertex, 1, false, order.data() + done).vertices;
  return order;
}

/// Starts each walk at a vertex of least degree in the last level of the previous walk, while the
/// number of levels grows (George and Liu). The last walk's order is used.
std::vector<std::uint32_t> reverse_cuthill_mckee(const AffinityGraph& graph) {
  constexpr std::uint8_t kMaxWalks = 8;
  std::vector<std::uint32_t> order(graph.vertices());
  Walk walk(graph);
  std::size_t done = 0;
  for (std::uint32_t vertex = 0; done < order.size(); ++vertex) {
    if (walk.seen(vertex)) continue;
    std::uint32_t* const out = order.data() + done;
    Walk::Levels levels = walk.levels(vertex, 1, true, out);
    for (std::uint8_t round = 2; levels.count > 1 && round <= kMaxWalks; ++round) {
      const std::uint32_t start = *std::min_element(
          out + levels.last, out + levels.vertices, [&](std::uint32_t a, std::uint32_t b) {
            return walk.degree(a) != walk.degree(b) ? walk.degree(a) < walk.degree(b) : a < b;
          });
      const std::size_t before = levels.count;
      levels = walk.levels(start, round, true, out);
      if (levels.count <= before) break;
    }
    done += levels.vertices;
  }
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<std::uint32_t> by_degree(const AffinityGraph& graph) {
  const auto degree = [&](std::size_t vertex) {
    return static_cast<std::size_t>(graph.begin[vertex + 1] - graph.begin[vertex]);
  };
  std::size_t most = 0;
  for (std::size_t vertex = 0; vertex < graph.vertices(); ++vertex)
    most = std::max(most, degree(vertex));
  std::vector<std::size_t> at(most + 2);  // begin of the vertices of degree most - d
  for (std::size_t vertex = 0; vertex < graph.vertices(); ++vertex) ++at[most - degree(vertex) + 1];
  std::partial_sum(at.begin(), at.end(), at.begin());
  std::vector<std::uint32_t> order(graph.vertices());
  for (std::size_t vertex = 0; vertex < graph.vertices(); ++vertex)
    order[at[most - degree(vertex)]++] = static_cast<std::uint32_t>(vertex);
  return order;
}

}  // namespace

std::string_view to_string(TaskOrder order) {
  switch (order) {
    case TaskOrder::breadth_first:
      return "breadth-first";
    case TaskOrder::rcm:
      return "rcm";
    case TaskOrder::degree:
      return "degree";
    case TaskOrder::created:
      break;
  }
  return "created";
}

std::optional<TaskOrder> task_order_of(std::string_view name) {
  for (const TaskOrder order : kTaskOrders)
    if (to_string(order) == name) return order;
  return std::nullopt;
}

std::vector<std::uint32_t> order_graph(const AffinityGraph& graph, TaskOrder order) {
  switch (order) {
    case TaskOrder::breadth_first:
      return breadth_first(graph);
    case TaskOrder::rcm:
      return reverse_cuthill_mckee(graph);
    case TaskOrder::degree:
      return by_degree(graph);
    case TaskOrder::created:
      break;
  }
  std::vector<std::uint32_t> all(graph.vertices());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

}  // namespace Atoll
