// Figure 3 [affinity §2.2]: merges the ordered lists of locations of each two tasks.
#include <algorithm>

#include "plan/sharers.hpp"

namespace Atoll {
namespace {

using detail::Verdict;

/// Returns each task's distinct locations that count, ascending.
std::vector<std::vector<std::uint32_t>> counting_locations(const TaskLocations& tasks,
                                                           const ShareOptions& options,
                                                           ShareReport& report) {
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<std::uint32_t> sharers(tasks.location_count);
  for (std::size_t task = 0; task < tasks.tasks(); ++task) {
    std::vector<std::uint32_t> list(tasks.locations.data() + tasks.begin[task],
                                    tasks.locations.data() + tasks.begin[task + 1]);
    std::ranges::sort(list);
    const auto repeated = std::ranges::unique(list);
    list.erase(repeated.begin(), repeated.end());
    for (const std::uint32_t location : list) ++sharers[location];
    lists.push_back(std::move(list));
  }
  std::vector<bool> counts(tasks.location_count);
  for (std::uint32_t location = 0; location < tasks.location_count; ++location) {
    if (!options.location_weights.empty() && options.location_weights[location] == 0) continue;
    const Verdict what = detail::verdict(sharers[location], lists.size(), options);
    detail::add(report, what, sharers[location]);
    counts[location] = what == Verdict::counts;
  }
  for (auto& list : lists)
    std::erase_if(list, [&](std::uint32_t location) { return !counts[location]; });
  return lists;
}

}  // namespace

AffinityGraph share_graph_by_pairs(const TaskLocations& tasks, const ShareOptions& options,
                                   ShareReport* report) {
  detail::check(options, tasks);
  ShareReport unread;
  ShareReport& told = report ? *report : unread;
  told = {};
  const auto lists = counting_locations(tasks, options, told);
  AffinityGraph graph;
  for (std::size_t one = 0; one < lists.size(); ++one) {
    for (std::size_t other = 0; other < lists.size(); ++other) {
      if (one == other) continue;
      std::uint32_t weight = 0;
      auto a = lists[one].begin();
      auto b = lists[other].begin();
      while (a != lists[one].end() && b != lists[other].end()) {
        if (*a == *b)
          weight = detail::add_up(
              weight, options.location_weights.empty() ? 1 : options.location_weights[*a]);
        const bool first = *a <= *b;
        const bool second = *b <= *a;
        a += first;
        b += second;
      }
      if (weight == 0) continue;
      graph.neighbours.push_back(static_cast<std::uint32_t>(other));
      graph.weights.push_back(weight);
    }
    graph.begin.push_back(graph.neighbours.size());
  }
  return graph;
}

}  // namespace Atoll
