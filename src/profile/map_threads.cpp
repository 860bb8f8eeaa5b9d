// Finds groups of threads first, then a node for each group, then a processing unit for each thread
// of a node.
#include "profile/map_threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/assign_near.hpp"
#include "plan/group_threads.hpp"

namespace Atoll::profile {
namespace {

/// The ancestors of a processing unit that have several children, from the root down.
using Path = std::vector<const Place*>;

std::vector<int> units_within(const Place& place) {
  std::vector<int> units;
  if (place.kind == PlaceKind::pu) units.push_back(place.os_index);
  for (const Place& child : place.children) {
    const std::vector<int> more = units_within(child);
    units.insert(units.end(), more.begin(), more.end());
  }
  return units;
}

void add_paths(const Place& place, Path above, std::map<int, Path>& paths) {
  if (place.kind == PlaceKind::pu) paths[place.os_index] = above;
  if (place.children.size() > 1) above.push_back(&place);
  for (const Place& child : place.children) add_paths(child, above, paths);
}

std::map<int, Path> paths_of(const Machine& machine) {
  std::map<int, Path> paths;
  add_paths(machine.root(), {}, paths);
  return paths;
}

/// Returns `each` processing units of each node, by position: one of each core before a second one.
std::vector<std::vector<int>> units_of_nodes(const Machine& machine, std::size_t nodes,
                                             std::size_t each) {
  const Places spread = places_on(machine, spread_places(machine, static_cast<int>(nodes * each)));
  std::vector<std::vector<int>> units(nodes);
  for (std::size_t i = 0; i < spread.pus_of_threads.size(); ++i)
    units[spread.nodes_of_threads[i]].push_back(spread.pus_of_threads[i]);
  return units;
}

std::size_t distinct(const std::vector<int>& units) {
  return std::set(units.begin(), units.end()).size();
}

bool all_equal(const DistanceMatrix& distances) {
  for (std::size_t i = 2; i < distances.threads(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (distances.at(i, j) != distances.at(1, 0)) return false;
  return true;
}

std::string outcome(const CommunicationMatrix& matrix, const DistanceMatrix& distances,
                    const std::vector<std::uint32_t>& now,
                    const std::vector<std::uint32_t>& before) {
  const auto inside = [&](const auto& nodes) { return 100 * inside_share(matrix, nodes); };
  std::string text =
      fmt::format("{:.0f} % of it stays inside nodes, {:.0f} % with threads in blocks", inside(now),
                  inside(before));
  if (all_equal(distances)) return text;
  const auto mean = [&](const auto& nodes) {
    return 10 + cost_of(matrix, distances, nodes) / matrix.total();
  };
  return text + fmt::format("; its mean distance is {:.1f}, and {:.1f} in blocks", mean(now),
                            mean(before));
}

/// True if these units of one node are as far apart as any two units of the node can be.
bool as_far_as_can_be(const Machine& machine, const std::vector<int>& units,
                      const DistanceMatrix& distances) {
  if (!all_equal(distances)) return false;
  std::vector<int> all;
  const auto node_of = [&](int unit) {
    return std::ranges::find(machine.processors(), unit, &Processor::os_index)->node;
  };
  for (const Processor& processor : machine.processors())
    if (processor.node == node_of(units[0])) all.push_back(processor.os_index);
  const DistanceMatrix in_node = distances_between_units(machine, all);
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (in_node.at(i, j) > distances.at(0, 1)) return false;
  return true;
}

/// Assigns the threads of one node to `units`, one for each thread.
void assign_units(const CommunicationMatrix& matrix, const Machine& machine,
                  const std::vector<std::size_t>& threads, const std::vector<int>& units,
                  std::vector<std::vector<int>>& units_of_threads) {
  const DistanceMatrix distances = distances_between_units(machine, units);
  const CommunicationMatrix inside = matrix.of_threads(threads);
  if (inside.total() == 0 || as_far_as_can_be(machine, units, distances)) return;
  const std::map<int, Path> paths = paths_of(machine);
  const auto seats = assign_near(inside, distances, std::vector<std::size_t>(threads.size()));
  for (std::size_t i = 0; i < threads.size(); ++i)
    units_of_threads[threads[i]] = units_within(*paths.at(units[seats[i]]).back());
}

}  // namespace

DistanceMatrix distances_between(const Machine& machine, const std::vector<NodeId>& nodes) {
  const auto farther = [&](NodeId from, NodeId to) {
    const NodeId initiator = machine.nearest_initiator(from);
    return machine.link(initiator, to).distance - machine.link(initiator, from).distance;
  };
  DistanceMatrix distances(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      distances.set(i, j,
                    std::max(1.0, (farther(nodes[i], nodes[j]) + farther(nodes[j], nodes[i])) / 2));
  return distances;
}

DistanceMatrix distances_between_units(const Machine& machine, const std::vector<int>& units) {
  const std::map<int, Path> paths = paths_of(machine);
  DistanceMatrix distances(units.size());
  for (std::size_t i = 0; i < units.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (units[i] == units[j]) continue;
      const Path &a = paths.at(units[i]), &b = paths.at(units[j]);
      const auto common = std::ranges::mismatch(a, b).in1 - a.begin();
      const auto longer = static_cast<std::ptrdiff_t>(std::max(a.size(), b.size()));
      distances.set(i, j, static_cast<double>(longer - common + 1));
    }
  return distances;
}

ThreadMap map_threads(const CommunicationMatrix& matrix, const Machine& machine,
                      const Places& places) {
  const std::vector<std::uint32_t> start(
      places.nodes_of_threads.begin(),
      places.nodes_of_threads.begin() + static_cast<std::ptrdiff_t>(matrix.threads()));
  std::vector<std::size_t> sizes(places.nodes.size());
  for (const std::uint32_t node : start) ++sizes[node];
  const DistanceMatrix distances = distances_between(machine, places.nodes);
  const auto units = units_of_nodes(machine, sizes.size(), std::ranges::max(sizes));
  // If each node has units for the largest group, any group can be on any node.
  const bool room = std::ranges::all_of(
      units, [&](const auto& of) { return distinct(of) >= std::ranges::max(sizes); });
  ThreadMap map{.nodes = group_threads(matrix, sizes, start, distances, room),
                .units = std::vector<std::vector<int>>(matrix.threads())};
  map.outcome = outcome(matrix, distances, map.nodes, start);
  std::vector<std::vector<std::size_t>> threads(sizes.size());
  for (std::size_t i = 0; i < matrix.threads(); ++i) threads[map.nodes[i]].push_back(i);
  for (std::size_t node = 0; node < sizes.size(); ++node) {
    std::vector<int> own = units[node];
    if (threads[node].size() > own.size()) continue;
    own.resize(threads[node].size());
    if (distinct(own) == own.size()) assign_units(matrix, machine, threads[node], own, map.units);
  }
  return map;
}

}  // namespace Atoll::profile
