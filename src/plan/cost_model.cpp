// The model of docs/cost-model.md. An array's time is computed from the busiest resources during
// its accesses: a node's threads, a memory's controller, a place's port to the interconnect.
#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

namespace Atoll::detail {
namespace {

constexpr double kMaxAccesses = 1e30;

// Adds N and E, which are the lengths of arrays of nodes and of edges, unless the caller gave
// values.
Bindings with_lengths(Bindings bindings, std::span<const ArrayRequest> requests) {
  for (const char* name : {"N", "E"}) {
    const Formula symbol = Formula::symbol(name);
    for (const ArrayRequest& request : requests)
      if (request.pattern.elements == symbol)
        bindings.try_emplace(name, static_cast<double>(request.elements));
  }
  return bindings;
}

// Returns the average number of lines that one access transfers if nothing is cached.
double lines_per_access(Order order, double element_bytes, double line) {
  switch (order) {
    case Order::near:
      return element_bytes / line / 2;  // one of the two elements is in the previous access's line
    case Order::own:
    case Order::stream:
      return element_bytes / line;
    case Order::random:
      break;
  }
  return std::max(1.0, std::ceil(element_bytes / line));
}

}  // namespace

CostModel::CostModel(std::span<const ArrayRequest> requests, const Machine& machine,
                     const ThreadPlaces& team, const Bindings& bindings)
    : machine_(machine),
      links_(machine),
      threads_(team.size()),
      line_bytes_(static_cast<double>(machine.caches().line_bytes)) {
  for (const NodeId node : nodes_of(team)) {
    Group group{node, links_.place_of(node), {}, std::vector<std::size_t>(links_.memories.size())};
    for (std::size_t t = 0; t < team.size(); ++t)
      if (team[t].node == node) group.threads.push_back(t);
    const std::vector<NodeId> nearest = machine.order(node, Ordering::latency);
    for (std::size_t i = 0; i < nearest.size(); ++i)
      group.rank[links_.memory_index(nearest[i])] = i;
    sources_.push_back(links_.memory_index(nearest.front()));
    groups_.push_back(std::move(group));
  }
  find_nearest();

  const Bindings of_all = with_lengths(bindings, requests);
  for (const ArrayRequest& request : requests) {
    // The array's own length has priority: all arrays from hints have length N, although their
    // lengths differ.
    Bindings bound = with_lengths(bindings, {&request, 1});
    bound.insert(of_all.begin(), of_all.end());
    Use use;
    use.bytes = request.bytes();
    use.element_bytes = request.element_bytes;
    use.filled = request.filled_from_elsewhere;
    for (const PatternAccess& access : request.pattern.accesses) {
      const double count = access.count.evaluate(bound, kAssumedTrips);
      use.counts[access.write][static_cast<std::size_t>(access.order)] += std::fmin(
          std::fmax(count, 0), kMaxAccesses);  // finite whatever the bindings are, NaN included
    }
    uses_.push_back(use);
  }
  fill_caches(requests);
}

void CostModel::find_nearest() {
  for (std::size_t m = 0; m < links_.memories.size(); ++m) {
    const auto key = [&](const Group& g) {
      return std::pair(g.place != links_.beside[m], links_.latency_seconds[g.place][m]);
    };
    nearest_.push_back(
        static_cast<std::size_t>(std::ranges::min_element(groups_, {}, key) - groups_.begin()));
  }
}

void CostModel::add(TrafficLoad& load, const Group& group, std::size_t memory,
                    const Traffic& traffic, double part) {
  load.add(group.place, memory, traffic.read * part, traffic.written * part,
           traffic.waits * part / group.size());
}

// Returns the number of last-level caches that the team's threads share.
double CostModel::cache_instances() const {
  const CacheFigures& caches = machine_.caches();
  double instances = 0;
  for (const Group& group : groups_) {
    double units = 0;
    std::set<int> cores;
    for (const Processor& processor : machine_.processors()) {
      if (processor.node != group.node) continue;
      ++units;
      cores.insert(processor.core);
    }
    const double on_node = caches.l3_bytes > 0 ? std::ceil(units / caches.l3_shared_by)
                                               : static_cast<double>(cores.size());
    instances += std::min(group.size(), on_node);
  }
  return instances;
}

// Caches keep the arrays with the most accesses per byte. An array with random accesses occupies
// each cache completely. Of any other array, each cache holds the part that its threads access.
void CostModel::fill_caches(std::span<const ArrayRequest> requests) {
  const CacheFigures& caches = machine_.caches();
  double room = static_cast<double>(caches.l3_bytes > 0 ? caches.l3_bytes : caches.l2_bytes);
  const double instances = cache_instances();
  std::vector<std::tuple<double, double, std::string_view, std::size_t>> by_density;
  for (std::size_t a = 0; a < uses_.size(); ++a) {
    double accesses = 0;
    for (const auto& counts : uses_[a].counts)
      accesses += std::accumulate(counts.begin(), counts.end(), 0.0);
    if (const auto bytes = static_cast<double>(uses_[a].bytes); bytes > 0)
      by_density.emplace_back(-accesses / bytes, bytes, requests[a].name, a);
  }
  std::ranges::sort(by_density);
  for (const auto& [density, bytes, name, a] : by_density) {
    const auto random = static_cast<std::size_t>(Order::random);
    const bool everywhere = uses_[a].counts[0][random] + uses_[a].counts[1][random] > 0;
    const double resident = everywhere ? bytes : bytes / instances;
    uses_[a].cached = std::min(1.0, room / resident);
    room = std::max(0.0, room - resident);
  }
}

// Returns each memory's fraction of the array's pages.
std::vector<CostModel::Share> CostModel::spread(const Layout& layout, std::uint64_t bytes) const {
  const Footprint pieces = footprint(layout, bytes);
  double all = 0;
  for (const auto& piece : pieces) all += static_cast<double>(piece.second);
  std::vector<Share> shares;
  for (const auto& [node, on_node] : pieces)
    shares.push_back({links_.memory_index(node), static_cast<double>(on_node) / all});
  return shares;
}

// Returns a group's traffic: [0] of accesses to any element, [1] of accesses that follow the loop's
// index.
std::array<CostModel::Traffic, 2> CostModel::traffic(const Use& use, const Group& group) const {
  const double part = group.size() / static_cast<double>(threads_);
  std::array<Traffic, 2> traffic;
  for (const bool write : {false, true}) {
    for (std::size_t o = 0; o < kOrders; ++o) {
      const auto order = static_cast<Order>(o);
      const bool random = order == Order::random;
      const double lines =
          use.counts[write][o] * part * lines_per_access(order, use.element_bytes, line_bytes_);
      const double all_lines = static_cast<double>(use.bytes) / line_bytes_;
      const double cold = std::min(lines, all_lines * (random ? 1 : part));
      const double hits = random ? use.cached : std::floor(use.cached);
      const double missed = cold + (lines - cold) * (1 - hits);
      Traffic& here = traffic[order == Order::own || order == Order::near];
      (write ? here.written : here.read) += missed * line_bytes_;
      here.waits += missed / (random ? kRandomLinesInFlight : kStreamLinesInFlight);
    }
  }
  return traffic;
}

double CostModel::walk_seconds(std::uint64_t bytes, PageSize pages, double latency_seconds) const {
  const CacheFigures& caches = machine_.caches();
  const auto page = static_cast<double>(page_bytes(pages));
  const auto told = [](std::uint64_t entries, double usual) {
    return entries > 0 ? static_cast<double>(entries) : usual;
  };
  const double entries = pages == PageSize::small     ? told(caches.tlb_4k, kTlbEntries)
                         : pages == PageSize::pool_1g ? told(caches.tlb_1g, kTlbEntries1g)
                                                      : told(caches.tlb_2m, kTlbEntries);
  const double misses = std::max(0.0, 1 - entries * page / static_cast<double>(bytes));
  if (misses == 0) return 0;
  double walk = 0;  // sum over levels, beginning with the table of the pages' entries
  double table = 8 * static_cast<double>(bytes) / page;
  while (table > kWalkCacheBytes) {
    walk += table <= static_cast<double>(caches.l2_bytes) / 2   ? kNearEntrySeconds
            : table <= static_cast<double>(caches.l3_bytes) / 2 ? kFarEntrySeconds
                                                                : latency_seconds;
    table /= 512;
  }
  return misses * walk / kWalksInFlight;
}

double CostModel::access_seconds(std::size_t array, const Layout& layout) const {
  const Use& use = uses_[array];
  if (use.bytes == 0) return 0;
  double accesses = 0;
  for (const auto& counts : use.counts)
    accesses = std::accumulate(counts.begin(), counts.end(), accesses);
  const auto random_order = static_cast<std::size_t>(Order::random);
  const double random = use.counts[0][random_order] + use.counts[1][random_order];

  const std::vector<Share> pages = spread(layout, use.bytes);
  const bool copies = std::holds_alternative<Replicated>(layout.where);
  const auto* parts = std::get_if<Partitioned>(&layout.where);
  double right = 0;  // fraction of the indexed accesses with elements on the own node
  if (parts && parts->nodes.size() == threads_) {
    // The page at the boundary of two nodes' parts is rounded to either side, so on average a
    // quarter of a page is on the other node.
    const auto bounds = static_cast<double>(runs(parts->nodes) - 1);
    const auto page = static_cast<double>(page_bytes(layout.pages));
    right = std::max(0.0, 1 - bounds * page / 4 / static_cast<double>(use.bytes));
  }
  TrafficLoad load(links_);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const double walk =
        walk_seconds(use.bytes, layout.pages, links_.latency_seconds[group.place][sources_[g]]);
    load.add_work(group.place,
                  (accesses * kAccessSeconds + random * walk) / static_cast<double>(threads_));
    const auto [anywhere, by_index] = traffic(use, group);
    const Traffic unbound{anywhere.read + by_index.read * (1 - right),
                          anywhere.written + by_index.written * (1 - right),
                          anywhere.waits + by_index.waits * (1 - right)};
    if (copies) {
      const auto rank = [&](const Share& share) { return group.rank[share.memory]; };
      add(load, group, std::ranges::min(pages, {}, rank).memory, unbound, 1);
    } else {
      for (const auto& [memory, part] : pages) add(load, group, memory, unbound, part);
    }
    if (right == 0) continue;
    for (const std::size_t thread : group.threads)
      add(load, group, links_.memory_index(parts->nodes[thread]), by_index, right / group.size());
  }
  return load.seconds() * (parts ? 1 + kStaticImbalance : 1);
}

double CostModel::setup_seconds(std::size_t array, const Layout& layout) const {
  const Use& use = uses_[array];
  if (use.bytes == 0) return 0;
  TrafficLoad load(links_);
  std::vector<double> filled(groups_.size());  // bytes that each group fills
  for (const auto& [node, size] : footprint(layout, use.bytes)) {
    const std::size_t memory = links_.memory_index(node);
    const std::size_t g = nearest_[memory];
    const auto bytes = static_cast<double>(size);
    const double written =
        use.filled ? bytes * 2 : bytes;  // the kernel zeroes the pages, then they are filled
    add(load, groups_[g], memory, {0, written, written / line_bytes_ / kStreamLinesInFlight}, 1);
    load.add_work(groups_[g].place, bytes / static_cast<double>(page_bytes(layout.pages)) *
                                        kPageFaultSeconds / groups_[g].size());
    if (use.filled) filled[g] += bytes;
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    if (filled[g] == 0) continue;
    const Traffic content{filled[g], 0, filled[g] / line_bytes_ / kStreamLinesInFlight};
    for (const std::size_t source : sources_)
      add(load, groups_[g], source, content, 1 / static_cast<double>(sources_.size()));
  }
  return load.seconds();
}

}  // namespace Atoll::detail
