// Rows of the suite `affinity`: cost and quality of schedules. Locations of tasks are converted to
// graphs and schedules within limits of time and memory; partitions along a tree of places must
// cost less than METIS's k-way partitions of the same graph.
#pragma once

#include "bench.hpp"

#include <malloc.h>

#include <atoll/plan/partition_graph.hpp>
#include <atoll/plan/schedule_tasks.hpp>
#include <atomic>
#include <cmath>
#include <ctime>
#include <new>
#include <numeric>
#include <random>

#if __has_include(<metis.h>)
#include <metis.h>
#define HAS_METIS 1
#else
#define HAS_METIS 0
#endif

// Present and maximum size of the heap: a peak that other programs don't influence.
namespace Atoll::bench {
inline std::atomic<std::size_t> held{0}, most_held{0};

inline void* counted(std::size_t bytes) {
  void* const block = std::malloc(bytes);
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t now = held += ::malloc_usable_size(block);
  if (now > most_held) most_held = now;
  return block;
}
inline void uncounted(void* block) {
  held -= ::malloc_usable_size(block);
  std::free(block);
}
}  // namespace Atoll::bench
void* operator new(std::size_t bytes) {
  return Atoll::bench::counted(bytes);
}
void operator delete(void* block) noexcept {
  Atoll::bench::uncounted(block);
}
void operator delete(void* block, std::size_t) noexcept {
  Atoll::bench::uncounted(block);
}

namespace Atoll::bench {

inline double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Returns tasks with `each` locations drawn by `pick`.
template <class Pick>
TaskLocations tasks_of(std::uint32_t tasks, std::uint32_t each, std::uint32_t locations,
                       const Pick& pick) {
  TaskLocations made;
  made.location_count = locations;
  made.begin.reserve(tasks + 1);
  made.locations.reserve(std::size_t{tasks} * each);
  for (std::uint32_t task = 0; task < tasks; ++task) {
    for (std::uint32_t i = 0; i < each; ++i) made.locations.push_back(pick(task, i));
    made.begin.push_back(made.locations.size());
  }
  return made;
}

inline std::uint32_t draw(std::mt19937& random, std::uint32_t below) {
  return static_cast<std::uint32_t>(random()) % below;
}

/// Returns a task for each node of a mesh, in random order. A task uses its own location, those of
/// its eight neighbours, and one at distance 2.
inline TaskLocations mesh(std::uint32_t width, std::uint32_t height) {
  std::vector<std::uint32_t> order(width * height);
  std::iota(order.begin(), order.end(), 0U);
  std::mt19937 random(1);
  std::shuffle(order.begin(), order.end(), random);
  constexpr int kSteps[10][2] = {{0, 0}, {1, 0},  {-1, 0}, {0, 1},   {0, -1},
                                 {1, 1}, {1, -1}, {-1, 1}, {-1, -1}, {2, 0}};
  return tasks_of(width * height, 10, width * height, [&](std::uint32_t task, std::uint32_t i) {
    const std::uint32_t node = order[task];
    const std::uint32_t x = (node % width + width + kSteps[i][0]) % width;
    const std::uint32_t y = (node / width + height + kSteps[i][1]) % height;
    return y * width + x;
  });
}

/// The minimum CPU time of three runs, with all threads of the call.
inline void schedule_row(Suite& suite, const std::string& name, const TaskLocations& tasks,
                         double limit_seconds) {
  const Machine machine = Machine::open("numa:2 core:2 pu:1");
  const ThreadPlaces threads = spread_places(machine, 4);
  double least = 1e9;
  ScheduleReport report;
  for (int round = 0; round < 3; ++round) {
    const double start = cpu_seconds();
    const Schedule schedule = schedule_tasks(tasks, machine, threads, {}, &report);
    least = std::min(least, cpu_seconds() - start);
    check(schedule, name);
    for (std::size_t thread = 0; thread < 4; ++thread) {
      const std::size_t size = schedule.loops[0].of(thread).size();
      require(size >= tasks.tasks() / 4 && size <= tasks.tasks() / 4 + 1, name);
    }
  }
  suite.row(name, "s CPU", least, "limit", limit_seconds);
  const auto cut = [&](const std::vector<WeightBetween>& between) {
    double sum = 0;
    for (const WeightBetween& level : between) sum += static_cast<double>(level.weight);
    return 100 * sum / static_cast<double>(report.weight);
  };
  suite.row(name + ", cut", "%", cut(report.after), "tasks in order", cut(report.before));
}

inline void memory_rows(Suite& suite, const std::string& name, TaskLocations (*make)()) {
  const std::size_t before = held;
  const TaskLocations tasks = make();
  most_held = held.load();
  const double start = cpu_seconds();
  const AffinityGraph graph = share_graph(tasks);
  const double seconds = cpu_seconds() - start;
  require(graph.vertices() == tasks.tasks() && graph.edges() > 0, name);
  const double edges = 16 * static_cast<double>(graph.edges());
  const double pairs = static_cast<double>(tasks.locations.size());
  suite.row(name + ", a pair", "bytes", (static_cast<double>(most_held - before) - edges) / pairs,
            "limit", 24);
  suite.row(name + ", peak", "MB", static_cast<double>(most_held - before) / 1e6, "edges alone",
            edges / 1e6);
  suite.row(name + ", CPU", "s", seconds, "per 10^7 pairs", seconds * 1e7 / pairs);
}

inline AffinityGraph graph_of(std::uint32_t vertices,
                              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  AffinityGraph graph;
  graph.begin.assign(vertices + 1, 0);
  for (const auto& [one, other] : edges) {
    ++graph.begin[one + 1];
    ++graph.begin[other + 1];
  }
  for (std::uint32_t v = 0; v < vertices; ++v) graph.begin[v + 1] += graph.begin[v];
  graph.neighbours.resize(graph.begin.back());
  graph.weights.assign(graph.begin.back(), 1);
  std::vector<std::uint64_t> next(graph.begin.begin(), graph.begin.end() - 1);
  for (const auto& [one, other] : edges) {
    graph.neighbours[next[one]++] = other;
    graph.neighbours[next[other]++] = one;
  }
  for (std::uint32_t v = 0; v < vertices; ++v)
    std::sort(graph.neighbours.begin() + static_cast<std::ptrdiff_t>(graph.begin[v]),
              graph.neighbours.begin() + static_cast<std::ptrdiff_t>(graph.begin[v + 1]));
  return graph;
}

inline AffinityGraph grid(std::uint32_t side) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) {
      const std::uint32_t own = y * side + x;
      if (x + 1 < side) edges.emplace_back(own, own + 1);
      if (y + 1 < side) edges.emplace_back(own, own + side);
    }
  return graph_of(side * side, edges);
}

/// Returns random points in a square; nearby ones are adjacent, with ten neighbours on average.
inline AffinityGraph geometric(std::uint32_t points) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere;
  const double radius = std::sqrt(10 / (3.14159265358979 * points));
  const int cells = static_cast<int>(1 / radius);
  std::vector<std::pair<double, double>> places(points);
  for (auto& place : places) place = {anywhere(random), anywhere(random)};
  const auto cell = [&](double at) { return std::min(cells - 1, static_cast<int>(at * cells)); };
  std::vector<std::vector<std::uint32_t>> members(static_cast<std::size_t>(cells) * cells);
  for (std::uint32_t i = 0; i < points; ++i)
    members[static_cast<std::size_t>(cell(places[i].second)) * cells + cell(places[i].first)]
        .push_back(i);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 0; i < points; ++i)
    for (int y = cell(places[i].second) - 1; y <= cell(places[i].second) + 1; ++y)
      for (int x = cell(places[i].first) - 1; x <= cell(places[i].first) + 1; ++x) {
        if (x < 0 || y < 0 || x >= cells || y >= cells) continue;
        for (const std::uint32_t j : members[static_cast<std::size_t>(y) * cells + x]) {
          const double dx = places[i].first - places[j].first;
          const double dy = places[i].second - places[j].second;
          if (i < j && dx * dx + dy * dy < radius * radius) edges.emplace_back(i, j);
        }
      }
  return graph_of(points, edges);
}

/// Sum of weight times distance: 100 between the largest places of the tree, then 10, then 1.
inline double cost_of(const AffinityGraph& graph, const std::vector<std::uint32_t>& parts,
                      const PartitionTree& tree) {
  constexpr double kDistances[] = {100, 10, 1};
  double cost = 0;
  const auto between = weight_between(graph, parts, tree);
  for (std::size_t level = 0; level < between.size(); ++level)
    cost += kDistances[level] * static_cast<double>(between[level].weight);
  return cost;
}

inline void partition_rows(Suite& suite, const std::string& name, const AffinityGraph& graph) {
  constexpr std::uint32_t kBranches[] = {4, 2, 8};
  const PartitionTree tree = even_tree(kBranches);
  const double start = cpu_seconds();
  const auto parts = partition_graph(graph, tree);
  const double seconds = cpu_seconds() - start;
  std::vector<std::uint64_t> sizes(tree.leaves());
  for (const std::uint32_t part : parts) ++sizes.at(part);
  const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
  require(*most - *least <= 1, name);
  const double cost = cost_of(graph, parts, tree);
  const double greedy =
      cost_of(graph, partition_graph(graph, tree, {.partitioner = Partitioner::greedy}), tree);
#if HAS_METIS
  std::vector<idx_t> begin(graph.begin.begin(), graph.begin.end());
  std::vector<idx_t> neighbours(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<idx_t> found(graph.vertices());
  auto count = static_cast<idx_t>(graph.vertices());
  idx_t constraints = 1, wanted = 64, cut = 0;
  const double metis_start = cpu_seconds();
  require(METIS_PartGraphKway(&count, &constraints, begin.data(), neighbours.data(), nullptr,
                              nullptr, nullptr, &wanted, nullptr, nullptr, nullptr, &cut,
                              found.data()) == METIS_OK,
          "METIS");
  const double metis_seconds = cpu_seconds() - metis_start;
  const double flat = cost_of(graph, {found.begin(), found.end()}, tree);
  suite.row(name + ", cost", "10^5", cost / 1e5, "METIS k-way", flat / 1e5);
  suite.row(name + ", greedy cost", "10^5", greedy / 1e5, "METIS k-way", flat / 1e5);
  suite.row(name + ", CPU", "s", seconds, "METIS k-way", metis_seconds);
#else
  suite.row(name + ", greedy cost", "10^5", greedy / 1e5, "itself", cost / 1e5);
  suite.row(name + ", CPU", "s", seconds, "itself", seconds);
#endif
}

/// Adds all rows.
inline void schedule_rows(Suite& suite) {
  schedule_row(suite, "schedule mesh 100k tasks", mesh(400, 250), 1);
  std::mt19937 random(1);
  schedule_row(suite, "schedule random 100k tasks",
               tasks_of(100'000, 10, 100'000, [&](auto, auto) { return draw(random, 100'000); }),
               4);
  memory_rows(suite, "graph 10M tasks, 20M pairs", [] {
    std::mt19937 pairs(2);
    return tasks_of(10'000'000, 2, 10'000'000, [&](auto, auto) { return draw(pairs, 10'000'000); });
  });
  memory_rows(suite, "graph 100k tasks, 10M pairs", [] {
    std::mt19937 near(3);  // a band: a location has ten tasks, and a task shares locations with
                           // about 200 others
    return tasks_of(100'000, 100, 1'001'000,
                    [&](std::uint32_t task, auto) { return task * 10 + draw(near, 1000); });
  });
  partition_rows(suite, "partition grid 1M", grid(1000));
  partition_rows(suite, "partition geometric 1M", geometric(1'000'000));
}

}  // namespace Atoll::bench
