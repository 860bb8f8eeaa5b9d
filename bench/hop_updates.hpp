// The updates of hop-distance (breadth first, level by level) on one array of distances, which is
// read randomly and written sparsely in each level. Table 3 of the Shoal paper uses it to evaluate
// writeable replicas. Shared by the suite `replicas` and the guests' tests.
#pragma once

#include <atoll/array/epochs.hpp>
#include <atoll/graph/generate.hpp>
#include <atoll/parallel/for_each.hpp>
#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace Atoll::bench {

inline constexpr std::uint32_t kFar = 0;  ///< not reached yet; the root has distance 1

/// The graph, the nodes of each level, and the expected results, all computed serially.
struct HopScene {
  std::vector<std::uint32_t> begin, target;
  std::vector<std::vector<std::uint32_t>> levels;
  std::vector<std::uint32_t> distances;
  std::uint64_t far_seen = 0;  ///< number of visited neighbours that weren't reached yet

  HopScene(int scale, double edge_factor, const Team& team) {
    const graph::Graph graph =
        graph::generate_rmat({.scale = scale, .edge_factor = edge_factor}, team);
    const auto offsets = graph.ids<std::uint32_t>(graph::Section::begin);
    const auto targets = graph.ids<std::uint32_t>(graph::Section::node_idx);
    begin.assign(offsets.begin(), offsets.end());
    target.assign(targets.begin(), targets.end());
    distances.assign(graph.nodes(), kFar);
    std::uint32_t root = 0;  // the node with the most edges
    for (std::uint32_t v = 0; v < graph.nodes(); ++v)
      if (begin[v + 1] - begin[v] > begin[root + 1] - begin[root]) root = v;
    distances[root] = 1;
    for (levels = {{root}}; !levels.back().empty();) {
      std::vector<std::uint32_t> next;
      for (const std::uint32_t v : levels.back())
        for (std::uint32_t e = begin[v]; e < begin[v + 1]; ++e) {
          const std::uint32_t distance = distances[target[e]];
          far_seen += distance == kFar || distance == levels.size() + 1;
          if (distance != kFar) continue;
          distances[target[e]] = static_cast<std::uint32_t>(levels.size() + 1);
          next.push_back(target[e]);
        }
      levels.push_back(std::move(next));
    }
    levels.pop_back();
  }
};

/// Does one run. `local()` returns the distances for reading, `write(v, d)` stores a distance,
/// `end_level()` makes stores visible to readers. Returns the number of unreached neighbours
/// visited.
template <class Local, class Write, class EndLevel>
std::uint64_t hop_updates(const HopScene& scene, const Team& team, Local&& local, Write&& write,
                          EndLevel&& end_level) {
  std::uint64_t far_seen = 0;
  write(scene.levels[0][0], 1U);
  end_level();
  for (std::size_t level = 0; level < scene.levels.size(); ++level) {
    const std::vector<std::uint32_t>& frontier = scene.levels[level];
    far_seen += reduce_chunks(
        team, frontier.size(), LoopSchedule::dynamic, std::uint64_t{0},
        [&](std::size_t first, std::size_t last) {
          const std::span<const std::uint32_t> distance = local();
          std::uint64_t far = 0;
          for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t v = frontier[i];
            for (std::uint32_t e = scene.begin[v]; e < scene.begin[v + 1]; ++e)
              far += distance[scene.target[e]] == kFar;
          }
          return far;
        },
        std::plus<>());
    if (level + 1 == scene.levels.size()) break;
    const std::vector<std::uint32_t>& reached = scene.levels[level + 1];
    for_each_chunk(team, reached.size(), LoopSchedule::fixed,
                   [&](std::size_t first, std::size_t last) {
                     for (std::size_t i = first; i < last; ++i)
                       write(reached[i], static_cast<std::uint32_t>(level + 2));
                   });
    end_level();
  }
  return far_seen;
}

}  // namespace Atoll::bench
