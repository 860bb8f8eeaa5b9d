// Orders, compared with slow and simple versions of the same algorithms. Also checks their effect:
// a low matrix bandwidth for a shuffled mesh.
#include "atoll/plan/order_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <random>
#include <set>

namespace Atoll {
namespace {

using Rows = std::vector<std::set<std::uint32_t>>;

AffinityGraph graph_of(const Rows& rows) {
  AffinityGraph graph;
  for (const auto& row : rows) {
    graph.neighbours.insert(graph.neighbours.end(), row.begin(), row.end());
    graph.begin.push_back(graph.neighbours.size());
  }
  graph.weights.assign(graph.neighbours.size(), 1);
  check(graph, "made");
  return graph;
}

Rows random_rows(std::mt19937_64& random, std::size_t vertices, std::size_t edges) {
  Rows rows(vertices);
  while (edges-- > 0) {
    const auto a = static_cast<std::uint32_t>(random() % vertices),
               b = static_cast<std::uint32_t>(random() % vertices);
    if (a == b) continue;
    rows[a].insert(b);
    rows[b].insert(a);
  }
  return rows;
}

/// Returns a grid with diagonals, whose vertices are numbered randomly.
Rows shuffled_mesh(std::mt19937_64& random, std::uint32_t side) {
  std::vector<std::uint32_t> name(std::size_t{side} * side);
  std::iota(name.begin(), name.end(), 0U);
  std::shuffle(name.begin(), name.end(), random);
  Rows rows(name.size());
  for (std::uint32_t x = 0; x < side; ++x)
    for (std::uint32_t y = 0; y < side; ++y)
      for (const auto& [dx, dy] : {std::pair{0, 1}, {1, 0}, {1, 1}, {1, -1}}) {
        const std::uint32_t ox = x + static_cast<std::uint32_t>(dx),
                            oy = y + static_cast<std::uint32_t>(dy);
        if (ox >= side || oy >= side) continue;
        rows[name[x * side + y]].insert(name[ox * side + oy]);
        rows[name[ox * side + oy]].insert(name[x * side + y]);
      }
  return rows;
}

/// Returns the levels from `start`, computed with a queue. Neighbours are ordered by degree and
/// number if `by_degree`, otherwise by number.
std::vector<std::vector<std::uint32_t>> plain_levels(const Rows& rows, std::uint32_t start,
                                                     bool by_degree) {
  std::vector<int> level(rows.size(), -1);
  std::deque<std::uint32_t> queue{start};
  std::vector<std::vector<std::uint32_t>> levels;
  level[start] = 0;
  while (!queue.empty()) {
    const std::uint32_t vertex = queue.front();
    queue.pop_front();
    levels.resize(static_cast<std::size_t>(level[vertex]) + 1);
    levels.back().push_back(vertex);
    std::vector<std::uint32_t> next(rows[vertex].begin(), rows[vertex].end());
    if (by_degree)
      std::stable_sort(next.begin(), next.end(), [&](std::uint32_t a, std::uint32_t b) {
        return rows[a].size() < rows[b].size();
      });
    for (const std::uint32_t other : next)
      if (level[other] < 0) {
        level[other] = level[vertex] + 1;
        queue.push_back(other);
      }
  }
  return levels;
}

void append(std::vector<std::uint32_t>& order,
            const std::vector<std::vector<std::uint32_t>>& levels) {
  for (const auto& level : levels) order.insert(order.end(), level.begin(), level.end());
}

std::vector<std::uint32_t> plain_order(const Rows& rows, bool rcm) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t vertex = 0; vertex < rows.size(); ++vertex) {
    if (std::find(order.begin(), order.end(), vertex) != order.end()) continue;
    auto levels = plain_levels(rows, vertex, rcm);
    for (int walks = 1; rcm && walks < 8; ++walks) {
      std::vector<std::uint32_t> last = levels.back();
      std::sort(last.begin(), last.end());
      const std::uint32_t start = *std::min_element(
          last.begin(), last.end(),
          [&](std::uint32_t a, std::uint32_t b) { return rows[a].size() < rows[b].size(); });
      const std::size_t before = levels.size();
      levels = plain_levels(rows, start, true);
      if (levels.size() <= before) break;
    }
    append(order, levels);
  }
  if (rcm) std::reverse(order.begin(), order.end());
  return order;
}

std::uint32_t bandwidth(const Rows& rows, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> at(order.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) at[order[k]] = k;
  std::uint32_t widest = 0;
  for (std::uint32_t vertex = 0; vertex < rows.size(); ++vertex)
    for (const std::uint32_t other : rows[vertex])
      widest = std::max(widest, at[vertex] > at[other] ? at[vertex] - at[other] : 0);
  return widest;
}

TEST(OrderGraph, IsWhatPlainAlgorithmsSayOfRandomGraphs) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 60; ++round) {
    const std::size_t vertices = 1 + random() % 120;
    // From graphs of many components to vertices with too many neighbours for in-place sorting.
    const Rows rows = random_rows(random, vertices, vertices * (random() % 30) / 4);
    const AffinityGraph graph = graph_of(rows);
    EXPECT_EQ(order_graph(graph, TaskOrder::breadth_first), plain_order(rows, false));
    EXPECT_EQ(order_graph(graph, TaskOrder::rcm), plain_order(rows, true));
    std::vector<std::uint32_t> expected(vertices);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(order_graph(graph, TaskOrder::created), expected);
    std::stable_sort(expected.begin(), expected.end(), [&](std::uint32_t a, std::uint32_t b) {
      return rows[a].size() > rows[b].size();
    });
    EXPECT_EQ(order_graph(graph, TaskOrder::degree), expected);
  }
}

TEST(OrderGraph, AMeshsBandwidthIsNearItsSide) {
  std::mt19937_64 random(4);
  constexpr std::uint32_t kSide = 60;
  const Rows rows = shuffled_mesh(random, kSide);
  const AffinityGraph graph = graph_of(rows);
  EXPECT_GT(bandwidth(rows, order_graph(graph, TaskOrder::created)), kSide * kSide / 2);
  EXPECT_LE(bandwidth(rows, order_graph(graph, TaskOrder::rcm)), 4 * kSide);
}

TEST(OrderGraph, NothingAndOneVertex) {
  for (const TaskOrder order : kTaskOrders) {
    EXPECT_TRUE(order_graph({}, order).empty());
    EXPECT_EQ(order_graph(graph_of(Rows(1)), order), std::vector<std::uint32_t>{0});
    EXPECT_EQ(task_order_of(to_string(order)), order);
  }
  EXPECT_FALSE(task_order_of("rcmx"));
}

}  // namespace
}  // namespace Atoll
