// Figure 4 [affinity §2.2]: builds edges from the locations that tasks share. For each task, it
// visits the later tasks of its locations, so that all locations of an edge are visited together.
// Only a task's neighbours need to be sorted.
#include "atoll/plan/share_graph.hpp"

#include <algorithm>

#include "plan/sharers.hpp"

namespace Atoll {
namespace {

using detail::Sharers;

/// Calls `meet(later, weight)` for each task after `task` and each location that both use. Calls
/// must have ascending tasks: next[slot] is the position of the first task in that list that wasn't
/// passed yet.
template <class Meet>
void for_each_later(const TaskLocations& tasks, const Sharers& sharers,
                    std::vector<std::uint32_t>& next, std::uint32_t task, const Meet& meet) {
  for (std::uint64_t at = tasks.begin[task]; at < tasks.begin[task + 1]; ++at) {
    const std::uint32_t slot = sharers.slots[tasks.locations[at]];
    if (slot == Sharers::kNone) continue;
    const std::uint64_t end = sharers.begin[slot + 1];
    std::uint64_t position = sharers.begin[slot] + next[slot];
    if (position == end || sharers.tasks[position] != task) continue;  // named twice
    ++position;
    ++next[slot];
    const std::uint32_t weight = sharers.weight(slot);
    for (std::uint64_t other = position; other < end; ++other) meet(sharers.tasks[other], weight);
  }
}

/// Counts each task's neighbours, and returns the begins of the rows.
std::vector<std::uint64_t> row_begins(const TaskLocations& tasks, const Sharers& sharers) {
  const std::size_t count = tasks.tasks();
  std::vector<std::uint64_t> begin(count + 1);
  std::vector<std::uint32_t> next(sharers.size());
  std::vector<std::uint32_t> met(count, Sharers::kNone);  // the last task that visited each task
  for (std::uint32_t task = 0; task < count; ++task)
    for_each_later(tasks, sharers, next, task, [&](std::uint32_t later, std::uint32_t) {
      if (met[later] == task) return;
      met[later] = task;
      ++begin[task + 1];
      ++begin[later + 1];
    });
  for (std::size_t task = 0; task < count; ++task) begin[task + 1] += begin[task];
  return begin;
}

}  // namespace

AffinityGraph share_graph(const TaskLocations& tasks, const ShareOptions& options,
                          ShareReport* report) {
  ShareReport unread;
  const Sharers sharers = detail::find_sharers(tasks, options, report ? *report : unread);
  const std::size_t count = tasks.tasks();
  AffinityGraph graph;
  graph.begin = row_begins(tasks, sharers);
  graph.neighbours.resize(graph.begin.back());
  graph.weights.resize(graph.begin.back());

  // Rows ascend: a row gets all its earlier neighbours, one by one, before its own task is visited.
  // A row's begin is advanced to its end, which is the begin of the next row; a final shift by one
  // restores the begins.
  std::vector<std::uint64_t>& end = graph.begin;
  std::vector<std::uint32_t> next(sharers.size());
  std::vector<std::uint32_t> weights(count);  // with the current task
  std::vector<std::uint32_t> neighbours;
  const auto append = [&](std::uint32_t task, std::uint32_t neighbour, std::uint32_t weight) {
    graph.neighbours[end[task]] = neighbour;
    graph.weights[end[task]++] = weight;
  };
  for (std::uint32_t task = 0; task < count; ++task) {
    for_each_later(tasks, sharers, next, task, [&](std::uint32_t later, std::uint32_t weight) {
      if (weights[later] == 0) neighbours.push_back(later);
      weights[later] = detail::add_up(weights[later], weight);
    });
    std::sort(neighbours.begin(), neighbours.end());
    for (const std::uint32_t later : neighbours) {
      append(task, later, weights[later]);
      append(later, task, weights[later]);
      weights[later] = 0;
    }
    neighbours.clear();
  }
  for (std::size_t task = count; task > 0; --task) end[task] = end[task - 1];
  end[0] = 0;
  return graph;
}

AffinityGraph bipartite_graph(const TaskLocations& tasks, const ShareOptions& options,
                              ShareReport* report) {
  ShareReport unread;
  const Sharers sharers = detail::find_sharers(tasks, options, report ? *report : unread);
  const std::size_t count = tasks.tasks();
  AffinityGraph graph;
  graph.vertex_weights.assign(count, 1);
  graph.vertex_weights.resize(count + sharers.size(), 0);
  graph.begin.assign(count + sharers.size() + 1, 0);
  for (const std::uint32_t task : sharers.tasks) ++graph.begin[task + 1];
  for (std::size_t slot = 0; slot < sharers.size(); ++slot)
    graph.begin[count + slot + 1] = sharers.begin[slot + 1] - sharers.begin[slot];
  for (std::size_t vertex = 1; vertex < graph.begin.size(); ++vertex)
    graph.begin[vertex] += graph.begin[vertex - 1];

  graph.neighbours.resize(graph.begin.back());
  graph.weights.resize(graph.begin.back());
  std::vector<std::uint64_t> end(graph.begin.begin(),
                                 graph.begin.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::size_t slot = 0; slot < sharers.size(); ++slot) {
    std::uint64_t back = graph.begin[count + slot];
    for (std::uint64_t at = sharers.begin[slot]; at < sharers.begin[slot + 1]; ++at) {
      const std::uint32_t task = sharers.tasks[at];
      graph.neighbours[end[task]] = static_cast<std::uint32_t>(count + slot);
      graph.weights[end[task]++] = sharers.weight(slot);
      graph.neighbours[back] = task;
      graph.weights[back++] = sharers.weight(slot);
    }
  }
  return graph;
}

}  // namespace Atoll
