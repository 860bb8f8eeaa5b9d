// Assigns threads to processing units. Both orders use the same list: for a set of processing
// units, first one unit of each core, then a second unit of each core, and so on.
#include "atoll/machine/thread_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/machine/os_places.hpp"
#include "machine/last_level_caches.hpp"

namespace Atoll {
namespace {

/// Returns the units in tree order within each round: one unit of each core, then a second one of
/// each core.
std::vector<ThreadPlace> units_by_round(std::span<const Processor> processors) {
  std::map<int, int> units_of_core;
  std::vector<std::pair<int, ThreadPlace>> ranked;
  for (const Processor& processor : processors)
    ranked.emplace_back(units_of_core[processor.core]++,
                        ThreadPlace{processor.os_index, processor.node});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ThreadPlace> places;
  places.reserve(ranked.size());
  for (const auto& [rank, place] : ranked) places.push_back(place);
  return places;
}

std::size_t thread_count(const Machine& machine, int threads) {
  if (threads < 0)
    throw Error::input("threads", fmt::format("{} threads", threads), "0 means one for each core");
  if (threads > 0) return static_cast<std::size_t>(threads);
  std::set<int> cores;
  for (const Processor& processor : machine.processors()) cores.insert(processor.core);
  return cores.size();
}

/// Returns `threads` unassigned places, with the `near` lists of all nodes.
ThreadPlaces places_on(const Machine& machine, std::size_t threads) {
  ThreadPlaces places(threads);
  const std::vector<NodeId>& initiators = machine.initiators();
  const auto is_initiator = [&](NodeId node) {
    return std::binary_search(initiators.begin(), initiators.end(), node);
  };
  for (const NodeId from : initiators) {
    std::vector<NodeId>& near = places.near[from];
    for (const NodeId node : machine.order(from, Ordering::latency))
      if (is_initiator(node)) near.push_back(node);
    for (const NodeId node : initiators)  // a node without memory has no latency to it
      if (!machine.has_memory(node)) near.push_back(node);
  }
  for (const MemoryNode& memory : machine.memories()) {
    if (is_initiator(memory.id)) continue;
    std::vector<NodeId>& near = places.near[memory.id] = initiators;
    std::stable_sort(near.begin(), near.end(), [&](NodeId a, NodeId b) {
      const Link& from_a = machine.link(a, memory.id);
      const Link& from_b = machine.link(b, memory.id);
      return std::pair(from_a.latency_ns.value, from_a.distance) <
             std::pair(from_b.latency_ns.value, from_b.distance);
    });
  }
  return places;
}

/// Groups processing units by key, in tree order, so that neighbouring groups are near each other.
template <class Key>
std::vector<std::vector<Processor>> groups_by(std::span<const Processor> processors, Key&& key) {
  std::vector<std::vector<Processor>> groups;
  std::map<decltype(key(processors.front())), std::size_t> known;
  for (const Processor& processor : processors) {
    const auto [group, fresh] = known.emplace(key(processor), groups.size());
    if (fresh) groups.emplace_back();
    groups[group->second].push_back(processor);
  }
  return groups;
}

/// Calls use(group, threads) with an equal number of threads (±1) for each group. If there are
/// fewer threads than groups, rounding up spaces them evenly, with the first thread in the first
/// group.
template <class Use>
void for_equal_parts(const std::vector<std::vector<Processor>>& groups, std::size_t count,
                     Use&& use) {
  const auto end = [&](std::size_t group) {
    return (group * count + groups.size() - 1) / groups.size();
  };
  for (std::size_t i = 0; i < groups.size(); ++i) use(groups[i], end(i + 1) - end(i));
}

}  // namespace

ThreadPlaces compact_places(const Machine& machine, int threads) {
  const std::vector<ThreadPlace> units = units_by_round(machine.processors());
  ThreadPlaces places = places_on(machine, thread_count(machine, threads));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = units[i % units.size()];
  return places;
}

ThreadPlaces spread_places(const Machine& machine, int threads) {
  ThreadPlaces places = places_on(machine, 0);
  for_equal_parts(groups_by(machine.processors(), [](const Processor& of) { return of.node; }),
                  thread_count(machine, threads),
                  [&](std::span<const Processor> of_node, std::size_t count) {
                    const std::vector<ThreadPlace> units = units_by_round(of_node);
                    for (std::size_t i = 0; i < count; ++i)
                      places.push_back(units[i % units.size()]);
                  });
  return places;
}

ThreadPlaces os_places(const Machine& machine, int threads) {
  const std::map<int, int> cache_of = detail::last_level_caches(machine).of_unit;
  ThreadPlaces places = places_on(machine, 0);
  for_equal_parts(
      groups_by(machine.processors(), [](const Processor& of) { return of.node; }),
      thread_count(machine, threads), [&](std::span<const Processor> of_node, std::size_t count) {
        const auto of_caches =
            groups_by(of_node, [&](const Processor& of) { return cache_of.at(of.os_index); });
        const bool fits = std::ranges::all_of(of_caches, [&](const auto& processors) {
          return processors.size() * of_caches.size() >= count;
        });
        for_equal_parts(fits ? of_caches : groups_by(of_node, [](const Processor&) { return 0; }),
                        count, [&](std::span<const Processor> of_cache, std::size_t of_count) {
                          const std::vector<ThreadPlace> units = units_by_round(of_cache);
                          for (std::size_t i = 0; i < of_count; ++i)
                            places.push_back(units[i % units.size()]);
                        });
      });
  return places;
}

std::string threads_by_node(std::span<const NodeId> nodes) {
  constexpr std::size_t kMaxRuns = 16;
  std::string words;
  std::size_t runs = 0;
  for (std::size_t first = 0; first < nodes.size();) {
    std::size_t end = first + 1;
    while (end < nodes.size() && nodes[end] == nodes[first]) ++end;
    if (runs++ == kMaxRuns) return words + ", …";
    words += words.empty() ? (nodes.size() == 1 ? "thread " : "threads ") : ", ";
    words += end - first == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, end - 1);
    words += fmt::format(" on node {}", nodes[first].value);
    first = end;
  }
  return words;
}

ThreadPlaces listed_places(const Machine& machine, std::span<const int> pus) {
  ThreadPlaces places = places_on(machine, 0);
  for (const int pu : pus) {
    const auto processors = machine.processors();
    const auto found =
        std::find_if(processors.begin(), processors.end(),
                     [&](const Processor& processor) { return processor.os_index == pu; });
    if (found == processors.end())
      throw Error::input("thread places",
                         fmt::format("{} has no processing unit {}", machine.name(), pu),
                         "'atoll machine' prints their numbers");
    places.push_back({pu, found->node});
  }
  return places;
}

std::vector<NodeId> nodes_of(const ThreadPlaces& places) {
  std::set<NodeId> nodes;
  for (const ThreadPlace& place : places) nodes.insert(place.node);
  return {nodes.begin(), nodes.end()};
}

int threads_on(const ThreadPlaces& places, NodeId node) {
  return static_cast<int>(std::count_if(
      places.begin(), places.end(), [&](const ThreadPlace& place) { return place.node == node; }));
}

}  // namespace Atoll
