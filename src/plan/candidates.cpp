// Lists sets of nodes to try: in each tier, the memories next to the threads, and all memories.
// Further sets are several tiers weighted by bandwidth, all memories weighted by free bytes, and
// every second, fourth … node of a set.
#include "plan/candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "plan/footprint.hpp"

namespace Atoll::detail {
namespace {

using Nodes = std::vector<NodeId>;

constexpr std::size_t kMaxSingles = 8;        // single nodes to try: those with most threads
constexpr double kMaxWeight = 16;             // granules on a fast memory for one on a slow memory
constexpr std::size_t kGranulesByFree = 32;   // per memory: resolution of 1/32 of a memory
constexpr std::uint64_t kHugePagesAPart = 4;  // fewer would distribute too unevenly

template <class T>
void add_once(std::vector<T>& list, T value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(std::move(value));
}

// Returns the nodes with threads in the order of the place tree, in which neighbours are close to
// each other.
Nodes thread_nodes_in_tree_order(const Machine& machine, const ThreadPlaces& team) {
  const Nodes with_threads = nodes_of(team);
  Nodes nodes;
  for (const Processor& processor : machine.processors())
    if (std::ranges::binary_search(with_threads, processor.node) &&
        std::ranges::find(nodes, processor.node) == nodes.end())
      nodes.push_back(processor.node);
  return nodes;
}

// Returns, for each node with threads, the memory of a tier with the least latency.
std::map<NodeId, NodeId> nearest_in(const Nodes& tier, const Machine& machine,
                                    const Nodes& initiators) {
  std::map<NodeId, NodeId> nearest;
  for (const NodeId initiator : initiators) {
    const Nodes order = machine.order(initiator, Ordering::latency);
    nearest[initiator] = *std::ranges::find_first_of(order, tier);
  }
  return nearest;
}

// Repeats each node as often as its weight, with weights in lowest terms.
Nodes weighted(const std::vector<std::pair<NodeId, std::uint64_t>>& weights) {
  std::uint64_t common = 0;
  for (const auto& [node, weight] : weights) common = std::gcd(common, weight);
  Nodes nodes;
  for (const auto& [node, weight] : weights)
    if (weight > 0) nodes.insert(nodes.end(), weight / common, node);
  return nodes;
}

double read_bandwidth(const Machine& machine, NodeId memory) {
  return machine.link(machine.nearest_initiator(memory), memory).read_bytes_per_second.value;
}

Nodes by_bandwidth(const Machine& machine, const Nodes& nodes) {
  double least = INFINITY;
  for (const NodeId node : nodes) least = std::min(least, read_bandwidth(machine, node));
  std::vector<std::pair<NodeId, std::uint64_t>> weights;
  for (const NodeId node : nodes) {
    const double ratio = std::min(kMaxWeight, std::round(read_bandwidth(machine, node) / least));
    weights.emplace_back(node, static_cast<std::uint64_t>(ratio));
  }
  return weighted(weights);
}

Nodes by_free_memory(const Machine& machine, PageSize pages) {
  double all = 0;
  for (const MemoryNode& memory : machine.memories())
    all += static_cast<double>(free_bytes(memory, pages));
  const auto granules = static_cast<double>(kGranulesByFree * machine.memories().size());
  std::vector<std::pair<NodeId, std::uint64_t>> weights;
  for (const MemoryNode& memory : machine.memories()) {
    const double share = all > 0 ? static_cast<double>(free_bytes(memory, pages)) / all : 0;
    weights.emplace_back(memory.id, static_cast<std::uint64_t>(share * granules));
  }
  return weighted(weights);
}

PageSize pages_for(std::uint64_t bytes, std::uint64_t parts, std::optional<PageSize> wish) {
  if (wish) return *wish;
  return bytes / parts >= kHugePagesAPart * page_bytes(PageSize::huge) ? PageSize::huge
                                                                       : PageSize::small;
}

}  // namespace

LayoutKind kind_of(const Layout& layout) {
  static constexpr std::array kinds{LayoutKind::single, LayoutKind::distributed,
                                    LayoutKind::partitioned, LayoutKind::replicated};
  return kinds.at(layout.where.index());
}

NodeId home(const Machine& machine, NodeId initiator) {
  if (machine.has_memory(initiator)) return initiator;
  return machine.order(initiator, Ordering::latency).front();
}

Layout single(NodeId node, std::uint64_t bytes, std::optional<PageSize> pages) {
  return {SingleNode{node}, pages_for(bytes, 1, pages)};
}

Layout distributed(Nodes nodes, std::uint64_t bytes, std::optional<PageSize> pages) {
  const PageSize size = pages_for(bytes, nodes.size(), pages);
  return {Distributed{std::move(nodes), page_bytes(size)}, size};
}

Layout partitioned(Nodes nodes, std::uint64_t bytes, std::optional<PageSize> pages) {
  const PageSize size = pages_for(bytes, runs(nodes), pages);
  return {Partitioned{std::move(nodes)}, size};
}

Layout replicated(Nodes nodes, std::uint64_t bytes, std::optional<PageSize> pages) {
  return {Replicated{std::move(nodes)}, pages_for(bytes, 1, pages)};
}

Candidates::Candidates(const Machine& machine, const ThreadPlaces& team) : machine_(machine) {
  const Nodes initiators = thread_nodes_in_tree_order(machine, team);
  std::vector<std::string> tiers;
  for (const MemoryNode& memory : machine.memories())
    if (holds_arrays(memory)) add_once(tiers, memory.tier);

  Nodes busiest = initiators;
  std::ranges::stable_sort(busiest, std::greater{}, [&](NodeId n) { return threads_on(team, n); });
  busiest.resize(std::min(busiest.size(), kMaxSingles));

  Nodes beside_threads;  // in each tier, the memories nearest to a node with threads
  for (const std::string& tier : tiers) {
    const Nodes all = tier_nodes(machine, tier);
    const std::map<NodeId, NodeId> nearest = nearest_in(all, machine, initiators);
    Nodes near;  // in the order of the place tree
    for (const NodeId initiator : initiators) add_once(near, nearest.at(initiator));
    for (const NodeId initiator : busiest) add_once(single_, nearest.at(initiator));

    Nodes ascending = near;
    std::ranges::sort(ascending);
    beside_threads.insert(beside_threads.end(), ascending.begin(), ascending.end());
    add_once(distributed_, ascending);
    add_once(distributed_, all);

    Nodes parts;
    for (const ThreadPlace& place : team) parts.push_back(nearest.at(place.node));
    add_once(partitioned_, std::move(parts));

    for (std::size_t stride = 1; near.size() / stride >= 1; stride *= 2) {
      Nodes some;
      for (std::size_t i = 0; i < near.size(); i += stride) some.push_back(near[i]);
      std::ranges::sort(some);
      add_once(replicated_, std::move(some));
    }
  }
  std::ranges::sort(beside_threads);
  add_once(distributed_, by_bandwidth(machine, beside_threads));
}

std::vector<Layout> Candidates::of(const ArrayRequest& request, LayoutKind force,
                                   std::optional<PageSize> pages, bool by_free) const {
  std::vector<Layout> layouts = in_pages(request, force, pages, by_free);
  if (pages) return layouts;
  for (const PageSize pool : {PageSize::pool_2m, PageSize::pool_1g}) {
    const auto has_some = [&](const MemoryNode& memory) { return free_bytes(memory, pool) > 0; };
    if (std::ranges::none_of(machine_.memories(), has_some)) continue;
    for (Layout& layout : in_pages(request, force, pool, by_free))
      layouts.push_back(std::move(layout));
  }
  return layouts;
}

std::vector<Layout> Candidates::in_pages(const ArrayRequest& request, LayoutKind force,
                                         std::optional<PageSize> pages, bool by_free) const {
  const std::uint64_t bytes = request.bytes();
  if (force == LayoutKind::replicated && !request.pattern.read_only())
    force = LayoutKind::distributed;
  // A list of one node equals the layout `single`, so it is listed only if its kind is forced.
  const auto wanted = [&](LayoutKind kind, const Nodes& nodes) {
    return force == kind || (force == LayoutKind::automatic && nodes.size() > 1);
  };
  std::vector<Layout> layouts;
  if (force == LayoutKind::automatic || force == LayoutKind::single)
    for (const NodeId node : single_) layouts.push_back(single(node, bytes, pages));
  for (const Nodes& nodes : distributed_)
    if (wanted(LayoutKind::distributed, nodes)) layouts.push_back(distributed(nodes, bytes, pages));
  if (by_free) {
    Nodes nodes = by_free_memory(machine_, pages.value_or(PageSize::small));
    if (!nodes.empty() && wanted(LayoutKind::distributed, nodes))
      layouts.push_back(distributed(std::move(nodes), bytes, pages));
  }
  for (const Nodes& nodes : partitioned_)
    if (wanted(LayoutKind::partitioned, nodes)) layouts.push_back(partitioned(nodes, bytes, pages));
  if (!request.pattern.read_only()) return layouts;
  std::vector<Nodes> copies;  // on nodes with room for a copy
  for (Nodes nodes : replicated_) {
    std::erase_if(nodes, [&](NodeId n) {
      return free_bytes(machine_.memory(n), pages.value_or(PageSize::small)) < bytes;
    });
    if (!nodes.empty()) add_once(copies, std::move(nodes));
  }
  for (const Nodes& nodes : copies)
    if (wanted(LayoutKind::replicated, nodes)) layouts.push_back(replicated(nodes, bytes, pages));
  return layouts;
}

}  // namespace Atoll::detail
