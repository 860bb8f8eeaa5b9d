// Locations → graph → parts → an order in each part.
#include "atoll/plan/schedule_tasks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "atoll/base/error.hpp"
#include "plan/sharers.hpp"
#include "plan/split_graph.hpp"

namespace Atoll {
namespace {

using detail::Parts;

/// Minimum number of clique edges per (task, location) pair to use the bipartite form: it then
/// takes less memory and time, for a cut that is some percent worse.
constexpr std::uint64_t kManyEdges = 8;

/// Returns the parts without a schedule: equal parts, in order.
Parts equal_parts(std::size_t tasks, std::size_t threads) {
  Parts parts(tasks);
  for (std::size_t thread = 0; thread < threads; ++thread)
    std::fill(parts.begin() + static_cast<std::ptrdiff_t>(tasks * thread / threads),
              parts.begin() + static_cast<std::ptrdiff_t>(tasks * (thread + 1) / threads),
              static_cast<std::uint32_t>(thread));
  return parts;
}

/// Assigns the vertices from `tasks` on, which are locations, to the part of most of their tasks.
void place_locations(const AffinityGraph& graph, std::size_t tasks, std::size_t threads,
                     Parts& parts) {
  parts.resize(graph.vertices());
  std::vector<std::uint64_t> here(threads);
  for (std::size_t location = tasks; location < graph.vertices(); ++location) {
    std::uint32_t best = 0;
    for (std::uint64_t at = graph.begin[location]; at < graph.begin[location + 1]; ++at) {
      const std::uint32_t part = parts[graph.neighbours[at]];
      ++here[part];
      if (here[part] > here[best] || (here[part] == here[best] && part < best)) best = part;
    }
    for (std::uint64_t at = graph.begin[location]; at < graph.begin[location + 1]; ++at)
      here[parts[graph.neighbours[at]]] = 0;
    parts[location] = best;
  }
}

double imbalance_of(const AffinityGraph& graph, const Parts& parts, std::size_t threads) {
  std::vector<double> work(threads);
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
    work[parts[vertex]] += graph.work_of(vertex);
  const double all = std::accumulate(work.begin(), work.end(), 0.0);
  return all == 0 ? 0 : std::ranges::max(work) / all * static_cast<double>(threads) - 1;
}

/// Returns the spread of an order: the sum over edges of the weight times the logarithm of the
/// distance between its ends. It falls when vertices with common locations move within a cache's
/// reach, independently of the cache's size.
double spread_of(const AffinityGraph& graph, const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> positions(order.size());
  for (std::uint32_t at = 0; at < order.size(); ++at) positions[order[at]] = at;
  std::vector<double> logarithms(std::min<std::size_t>(order.size() + 1, 1 << 16));
  for (std::size_t i = 1; i < logarithms.size(); ++i)
    logarithms[i] = std::log2(static_cast<double>(i));
  double spread = 0;
  for (std::uint32_t vertex = 0; vertex < order.size(); ++vertex)
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at) {
      const std::uint32_t other = graph.neighbours[at];
      if (other > vertex) break;  // ascending: the remaining edges are counted from the other end
      const std::uint32_t gap = positions[vertex] > positions[other]
                                    ? positions[vertex] - positions[other]
                                    : positions[other] - positions[vertex];
      spread += graph.weights[at] *
                (gap < logarithms.size() ? logarithms[gap] : std::log2(static_cast<double>(gap)));
    }
  return spread;
}

/// Returns the vertices in breadth-first order if that reduces the spread, else in their own order.
/// The latter also if `as_they_are` is set. Sets `as_they_are` to the result.
std::vector<std::uint32_t> order_of(const AffinityGraph& graph, bool& as_they_are) {
  std::vector<std::uint32_t> created(graph.vertices());
  std::iota(created.begin(), created.end(), 0U);
  as_they_are = as_they_are || graph.edges() == 0;
  if (as_they_are) return created;
  auto breadth_first = detail::order_from_peripheral_vertex(graph, 0);
  as_they_are = spread_of(graph, breadth_first) >= spread_of(graph, created);
  return as_they_are ? created : breadth_first;
}

/// Number of uses of locations in a window. If each location is used at least twice, the window's
/// locations stay in the first-level cache.
constexpr std::size_t kUsesOfWindow = 512;
constexpr std::size_t kSmallestWindow = 32;

/// Returns the number of consecutive tasks to interleave; 0 if tasks are too large for that.
std::size_t window_of(const TaskLocations& tasks) {
  const std::size_t uses = tasks.locations.size() / std::max<std::size_t>(1, tasks.tasks());
  const std::size_t window = kUsesOfWindow / std::max<std::size_t>(1, uses);
  return window < kSmallestWindow ? 0 : window;
}

/// Interleaves the tasks of each window with a stride, as cards are dealt, so that other tasks of
/// the window separate neighbours. Neighbours in an order share most locations, so a small task
/// that adds to the same locations as the previous one waits for it. (IRREG on a mesh took 1.3 to 2
/// times as long.)
void interleave_tasks(std::span<std::uint32_t> tasks, std::size_t window) {
  const auto stride = static_cast<std::size_t>(std::sqrt(static_cast<double>(window)));
  std::vector<std::uint32_t> dealt;
  for (std::size_t begin = 0; window != 0 && begin < tasks.size(); begin += window) {
    const auto here = tasks.subspan(begin, std::min(window, tasks.size() - begin));
    dealt.clear();
    for (std::size_t first = 0; first < stride; ++first)
      for (std::size_t at = first; at < here.size(); at += stride) dealt.push_back(here[at]);
    std::ranges::copy(dealt, here.begin());
  }
}

ScheduledLoop loop_of(const ScheduleOptions& options, std::size_t tasks) {
  ScheduledLoop loop{options.loop, options.iterations, options.chunk, options.fingerprint, {0}, {}};
  if (options.chunk == 0) throw Error::input("chunk", "is 0", "give a task an iteration at least");
  if (loop.iterations == 0) loop.iterations = tasks * options.chunk;
  if (loop.task_count() != tasks)
    throw Error::input(fmt::format("loop '{}'", loop.name),
                       fmt::format("{} iterations in chunks of {} are {} tasks, but there are {}",
                                   loop.iterations, loop.chunk, loop.task_count(), tasks));
  return loop;
}

/// Schedules a graph whose first vertices are the tasks; the rest are locations. `window` is that
/// of interleave_tasks().
Schedule schedule(const AffinityGraph& graph, std::size_t tasks, std::size_t window,
                  const Machine& machine, const ThreadPlaces& threads,
                  const ScheduleOptions& options, ScheduleReport& report) {
  Schedule made{{threads.begin(), threads.end()}, {loop_of(options, tasks)}};
  ScheduledLoop& loop = made.loops.front();
  const PartitionTree tree = partition_tree(machine, threads);
  Parts parts = partition_graph(graph, tree, options.partition);

  std::vector<std::vector<std::uint32_t>> members(threads.size());
  for (std::uint32_t vertex = 0; vertex < parts.size(); ++vertex)
    members[parts[vertex]].push_back(vertex);
  std::vector<std::uint32_t> numbers(graph.vertices());
  for (const auto& own : members) {
    bool as_they_are = options.keep_order;
    for (const std::uint32_t at :
         order_of(detail::part_of(graph, own, parts, numbers), as_they_are))
      if (own[at] < tasks) loop.tasks.push_back(own[at]);
    if (!as_they_are) interleave_tasks(std::span(loop.tasks).subspan(loop.begin.back()), window);
    loop.begin.push_back(loop.tasks.size());
  }

  const auto measure = [&](Parts now, std::vector<WeightBetween>& between, double& imbalance) {
    now.resize(tasks);
    place_locations(graph, tasks, threads.size(), now);
    between = weight_between(graph, now, tree);
    imbalance = imbalance_of(graph, now, threads.size());
  };
  report.bipartite = graph.vertices() > tasks;
  report.weight = std::accumulate(graph.weights.begin(), graph.weights.end(), std::uint64_t{0}) / 2;
  measure(equal_parts(tasks, threads.size()), report.before, report.imbalance_before);
  measure(std::move(parts), report.after, report.imbalance_after);
  return made;
}

}  // namespace

Schedule schedule_tasks(const TaskLocations& tasks, const Machine& machine,
                        const ThreadPlaces& threads, const ScheduleOptions& options,
                        ScheduleReport* report) {
  check(tasks, "tasks");
  if (!options.work.empty() && options.work.size() != tasks.tasks())
    throw Error::input(
        "work", fmt::format("is given of {} tasks of {}", options.work.size(), tasks.tasks()));
  ScheduleReport unread;
  ScheduleReport& told = report ? *report : unread;
  bool bipartite = options.form == GraphForm::bipartite;
  if (options.form == GraphForm::automatic) {
    (void)detail::find_sharers(tasks, options.share, told.share);
    bipartite = told.share.sharing_pairs > kManyEdges * told.share.kept_pairs;
  }
  AffinityGraph graph = bipartite ? bipartite_graph(tasks, options.share, &told.share)
                                  : share_graph(tasks, options.share, &told.share);
  if (!options.work.empty()) {
    graph.vertex_weights.resize(graph.vertices(), 0);
    std::ranges::copy(options.work, graph.vertex_weights.begin());
  }
  return schedule(graph, tasks.tasks(), window_of(tasks), machine, threads, options, told);
}

Schedule schedule_graph(const AffinityGraph& graph, const Machine& machine,
                        const ThreadPlaces& threads, const ScheduleOptions& options,
                        ScheduleReport* report) {
  check(graph, "graph");
  if (!options.work.empty())
    throw Error::input("work", "is given twice", "the graph's vertices have their weights");
  ScheduleReport unread;
  return schedule(graph, graph.vertices(), 0, machine, threads, options, report ? *report : unread);
}

}  // namespace Atoll
