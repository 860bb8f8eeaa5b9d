// Trees of places for partitions, and the edge weight between places.
#include <algorithm>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/plan/partition_graph.hpp"

namespace Atoll {
namespace {

/// Returns the tree of the threads in this place. Without threads, the tree has no children.
PartitionTree cut_down(const Place& place, const ThreadPlaces& threads, std::size_t& found) {
  PartitionTree tree{place.kind, {}, 0};
  for (const Place& child : place.children) {
    const std::size_t before = found;
    PartitionTree below = cut_down(child, threads, found);
    if (found > before) tree.children.push_back(std::move(below));
  }
  if (place.kind == PlaceKind::pu)
    for (std::uint32_t thread = 0; thread < threads.size(); ++thread)
      if (threads[thread].pu == place.os_index) {
        tree.children.push_back({PlaceKind::pu, {}, thread});
        ++found;
      }
  // A place with one child is replaced by the child, which keeps the outer kind: a core with one
  // processing unit has the kind `core`.
  if (tree.children.size() == 1) {
    PartitionTree only = std::move(tree.children.front());
    only.kind = std::min(only.kind, place.kind);
    return only;
  }
  return tree;
}

PartitionTree even(std::span<const std::uint32_t> branches, std::size_t level,
                   std::uint32_t& next) {
  constexpr PlaceKind kKinds[] = {PlaceKind::machine, PlaceKind::package, PlaceKind::numa,
                                  PlaceKind::core};
  PartitionTree tree{level < std::size(kKinds) ? kKinds[level] : PlaceKind::pu, {}, 0};
  if (level == branches.size())
    tree.part = next++;
  else if (branches[level] == 1)
    return even(branches, level + 1, next);
  else
    for (std::uint32_t i = 0; i < branches[level]; ++i)
      tree.children.push_back(even(branches, level + 1, next));
  return tree;
}

/// The path from the root to each part's leaf, and the kinds of places on all paths.
struct Paths {
  std::vector<std::vector<std::uint32_t>> of_part;
  std::vector<PlaceKind> kinds;  // from the root down, each once

  void add(const PartitionTree& tree, std::vector<std::uint32_t>& path) {
    if (tree.children.empty()) of_part[tree.part] = path;
    for (std::uint32_t i = 0; i < tree.children.size(); ++i) {
      const PlaceKind kind = tree.children[i].kind;
      if (std::ranges::find(kinds, kind) == kinds.end()) kinds.push_back(kind);
      path.push_back(i);
      add(tree.children[i], path);
      path.pop_back();
    }
  }
};

}  // namespace

std::size_t PartitionTree::leaves() const {
  if (children.empty()) return 1;
  std::size_t sum = 0;
  for (const PartitionTree& child : children) sum += child.leaves();
  return sum;
}

PartitionTree partition_tree(const Machine& machine, const ThreadPlaces& threads) {
  if (threads.empty()) throw Error::input("threads", "are none", "schedule for one at least");
  for (std::size_t thread = 0; thread < threads.size(); ++thread)
    if (std::ranges::find(machine.processors(), threads[thread].pu, &Processor::os_index) ==
        machine.processors().end())
      throw Error::input("thread " + std::to_string(thread),
                         "is on processing unit " + std::to_string(threads[thread].pu) +
                             ", which " + machine.name() + " hasn't got");
  std::size_t found = 0;
  PartitionTree tree = cut_down(machine.root(), threads, found);
  if (found != threads.size())
    throw Error::failed(machine.name(), "has processing units outside its tree of places");
  return tree;
}

PartitionTree even_tree(std::span<const std::uint32_t> branches) {
  if (std::ranges::find(branches, 0U) != branches.end())
    throw Error::input("tree of places", "has a level without places");
  std::uint32_t next = 0;
  return even(branches, 0, next);
}

std::vector<WeightBetween> weight_between(const AffinityGraph& graph,
                                          std::span<const std::uint32_t> parts,
                                          const PartitionTree& tree) {
  Paths paths;
  paths.of_part.resize(tree.leaves());
  std::vector<std::uint32_t> path;
  paths.add(tree, path);
  std::ranges::sort(paths.kinds);
  const auto slot_of = [&](std::uint32_t one, std::uint32_t other) {
    const PartitionTree* place = &tree;
    for (std::size_t depth = 0;; ++depth) {
      const std::uint32_t child = paths.of_part[one][depth];
      if (child != paths.of_part[other][depth])
        return std::ranges::find(paths.kinds, place->children[child].kind) - paths.kinds.begin();
      place = &place->children[child];
    }
  };
  std::vector<WeightBetween> sums;
  sums.reserve(paths.kinds.size());
  for (const PlaceKind kind : paths.kinds) sums.push_back({kind, 0});
  for (std::uint32_t vertex = 0; vertex < graph.vertices(); ++vertex)
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at) {
      const std::uint32_t neighbour = graph.neighbours[at];
      if (neighbour < vertex && parts[vertex] != parts[neighbour])
        sums[slot_of(parts[vertex], parts[neighbour])].weight += graph.weights[at];
    }
  return sums;
}

}  // namespace Atoll
