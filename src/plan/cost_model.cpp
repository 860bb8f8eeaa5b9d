// The model of docs/cost-model.md: an array's time is that of the busiest resource (a node's
// threads, a memory's controller, a place's port to the interconnect) while the array's accesses
// run.
#include "plan/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace Atoll::detail {
namespace {

// N and E are the lengths of the arrays that have them, where nobody said otherwise.
Bindings with_lengths(Bindings bindings, std::span<const ArrayRequest> requests) {
  for (const char* name : {"N", "E"}) {
    const Formula symbol = Formula::symbol(name);
    for (const ArrayRequest& request : requests)
      if (request.pattern.elements == symbol)
        bindings.try_emplace(name, static_cast<double>(request.elements));
  }
  return bindings;
}

bool by_index(std::size_t order) {
  return order == static_cast<std::size_t>(Order::own) ||
         order == static_cast<std::size_t>(Order::near);
}

// Lines that one access moves, on average, where nothing is cached.
double lines_per_access(Order order, double element_bytes, double line) {
  switch (order) {
    case Order::near:
      return element_bytes / line / 2;  // one of the two is in the line before
    case Order::own:
    case Order::stream:
      return element_bytes / line;
    case Order::random:
      break;
  }
  return std::max(1.0, std::ceil(element_bytes / line));
}

double max_of(const std::vector<double>& values) {
  return *std::ranges::max_element(values);
}

}  // namespace

// Seconds that each resource is busy.
struct CostModel::Load {
  explicit Load(const CostModel& of)
      : model(of),
        threads(of.groups_.size()),
        controllers(of.beside_.size()),
        into(of.links_.size()),
        out_of(of.links_.size()) {}

  /// Bytes between a group's threads and a memory.
  void move(const Group& group, std::size_t memory, double read, double written) {
    controllers[memory] += read * model.controller_read_seconds_[memory] +
                           written * model.controller_write_seconds_[memory];
    const std::size_t beside = model.beside_[memory];
    if (beside == group.place) return;
    const double reading = read * group.read_seconds[memory];
    const double writing = written * group.write_seconds[memory];
    into[group.place] += reading;
    out_of[beside] += reading;
    out_of[group.place] += writing;
    into[beside] += writing;
  }

  /// The busiest of each kind; what is nearly as busy as another holds it up.
  [[nodiscard]] double seconds() const {
    double ports = 0;
    for (std::size_t p = 0; p < into.size(); ++p)
      ports = std::max(ports, std::max(into[p], out_of[p]) / model.links_[p]);
    double sum = 0;
    for (const double kind : {max_of(threads), max_of(controllers), ports})
      sum += std::pow(kind, kSharpness);
    return std::pow(sum, 1 / kSharpness);
  }

  const CostModel& model;
  std::vector<double> threads, controllers, into, out_of;
};

CostModel::CostModel(std::span<const ArrayRequest> requests, const Machine& machine,
                     const ThreadPlaces& team, const Bindings& bindings)
    : machine_(machine), team_(team) {
  const auto memories = machine.memories();
  const std::vector<NodeId> places = machine.initiators();
  const auto place_of = [&](NodeId node) {
    return static_cast<std::size_t>(std::ranges::lower_bound(places, node) - places.begin());
  };
  for (const MemoryNode& memory : memories)
    beside_.push_back(place_of(machine.nearest_initiator(memory.id)));
  for (const NodeId place : places) links_.push_back(links_of(place, place_of(place)));

  for (const NodeId node : nodes_of(team)) {
    Group group{node, place_of(node), static_cast<double>(threads_on(team, node)), {}, {}, {}, {}};
    group.rank.resize(memories.size());
    const std::vector<NodeId> nearest = machine.order(node, Ordering::latency);
    for (std::size_t i = 0; i < nearest.size(); ++i) group.rank[memory_index(nearest[i])] = i;
    sources_.push_back(memory_index(nearest.front()));
    groups_.push_back(std::move(group));
  }
  controller_read_seconds_.assign(memories.size(), INFINITY);
  controller_write_seconds_.assign(memories.size(), INFINITY);
  for (const NodeId place : places) {
    const auto group = std::ranges::find(groups_, place, &Group::node);
    for (std::size_t m = 0; m < memories.size(); ++m) {
      const Link& link = machine.link(place, memories[m].id);
      const double read = 1 / link.read_bytes_per_second.value;
      const double write = 1 / link.write_bytes_per_second.value;
      controller_read_seconds_[m] = std::min(controller_read_seconds_[m], read);
      controller_write_seconds_[m] = std::min(controller_write_seconds_[m], write);
      if (group == groups_.end()) continue;
      group->latency_seconds.push_back(link.latency_ns.value * 1e-9);
      group->read_seconds.push_back(read);
      group->write_seconds.push_back(write);
    }
  }

  const Bindings bound = with_lengths(bindings, requests);
  for (const ArrayRequest& request : requests) {
    Use use;
    use.bytes = request.bytes();
    use.element_bytes = request.element_bytes;
    use.filled = request.filled_from_elsewhere;
    for (const Access& access : request.pattern.accesses)
      use.counts[access.write][static_cast<std::size_t>(access.order)] +=
          access.count.evaluate(bound, kAssumedTrips);
    uses_.push_back(use);
  }
  fill_caches(requests);
}

// A link to each of the other places at the least distance; pairs' figures are those of one link.
double CostModel::links_of(NodeId place, std::size_t index) const {
  double least = INFINITY;
  std::set<std::size_t> nearest;
  for (std::size_t m = 0; m < beside_.size(); ++m) {
    if (beside_[m] == index) continue;
    const double distance = machine_.link(place, machine_.memories()[m].id).distance;
    if (distance < least) nearest.clear();
    if (distance <= least) nearest.insert(beside_[m]);
    least = std::min(least, distance);
  }
  return std::clamp(static_cast<double>(nearest.size()), 1.0, kMostLinks);
}

std::size_t CostModel::memory_index(NodeId node) const {
  const auto memories = machine_.memories();
  return static_cast<std::size_t>(std::ranges::lower_bound(memories, node, {}, &MemoryNode::id) -
                                  memories.begin());
}

// Last-level caches that the team's threads have among them.
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
    instances += std::min(group.threads, on_node);
  }
  return instances;
}

// The caches keep what is reached most often per byte. An array reached at random needs room in
// each of them; of others, each holds the part that its threads go through.
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

std::size_t CostModel::nearest_group(std::size_t memory) const {
  const auto nearer = [&](const Group& a, const Group& b) {
    const auto key = [&](const Group& g) {
      return std::tuple(g.place != beside_[memory], g.latency_seconds[memory]);
    };
    return key(a) < key(b);
  };
  return static_cast<std::size_t>(std::ranges::min_element(groups_, nearer) - groups_.begin());
}

// Each memory's part of the array's pages.
std::vector<CostModel::Share> CostModel::spread(const Layout& layout, std::uint64_t bytes) const {
  const Footprint pieces = footprint(layout, bytes);
  double all = 0;
  for (const auto& piece : pieces) all += static_cast<double>(piece.second);
  std::vector<Share> shares;
  for (const auto& [node, on_node] : pieces)
    shares.push_back({memory_index(node), static_cast<double>(on_node) / all});
  return shares;
}

// Where a group's accesses go that may reach any element.
std::vector<CostModel::Share> CostModel::reached_anywhere(const Group& group, const Layout& layout,
                                                          const std::vector<Share>& spread) const {
  if (!std::holds_alternative<Replicated>(layout.where)) return spread;
  const auto nearest =
      std::ranges::min_element(spread, {}, [&](const Share& s) { return group.rank[s.memory]; });
  return {{nearest->memory, 1}};
}

// Where a group's accesses go that follow the loop's index. The page at the bound of two parts is
// rounded to either: a quarter of a page, on average, is not where its thread is.
std::vector<CostModel::Share> CostModel::reached_by_index(
    const Group& group, const Layout& layout, double bytes,
    const std::vector<Share>& anywhere) const {
  const auto* parts = std::get_if<Partitioned>(&layout.where);
  if (!parts || parts->nodes.size() != team_.size()) return anywhere;
  const auto bounds = static_cast<double>(runs(parts->nodes) - 1);
  const auto page = static_cast<double>(page_bytes(layout.pages));
  const double right = std::max(0.0, 1 - bounds * page / 4 / bytes);
  std::vector<Share> shares;
  for (const Share& share : anywhere) shares.push_back({share.memory, share.part * (1 - right)});
  std::vector<double> own(beside_.size());
  for (std::size_t t = 0; t < team_.size(); ++t)
    if (team_[t].node == group.node) own[memory_index(parts->nodes[t])] += right / group.threads;
  for (std::size_t m = 0; m < own.size(); ++m)
    if (own[m] > 0) shares.push_back({m, own[m]});
  return shares;
}

double CostModel::access_seconds(std::size_t array, const Layout& layout) const {
  const Use& use = uses_[array];
  if (use.bytes == 0) return 0;
  const auto bytes = static_cast<double>(use.bytes);
  const auto line = static_cast<double>(machine_.caches().line_bytes);
  const std::vector<Share> pages = spread(layout, use.bytes);
  Load load(*this);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const double part = group.threads / static_cast<double>(team_.size());
    struct Traffic {
      double read = 0, written = 0;  // bytes
      double waits = 0;              // latencies that are not hidden behind others
    };
    std::array<Traffic, 2> traffic;  // of accesses that may reach any element, and by index
    for (const bool write : {false, true}) {
      for (std::size_t o = 0; o < kOrders; ++o) {
        const bool random = o == static_cast<std::size_t>(Order::random);
        const double count = use.counts[write][o] * part;
        const double lines =
            count * lines_per_access(static_cast<Order>(o), use.element_bytes, line);
        const double cold = std::min(lines, bytes / line * (random ? 1 : part));
        const double hits = random ? use.cached : std::floor(use.cached);
        const double missed = cold + (lines - cold) * (1 - hits);
        Traffic& here = traffic[by_index(o)];
        (write ? here.written : here.read) += missed * line;
        here.waits += missed / (random ? kRandomLinesInFlight : kStreamLinesInFlight);
        load.threads[g] += count * kAccessSeconds / group.threads;
      }
    }
    const std::vector<Share> anywhere = reached_anywhere(group, layout, pages);
    const std::array shares{anywhere, reached_by_index(group, layout, bytes, anywhere)};
    for (std::size_t kind = 0; kind < shares.size(); ++kind) {
      const Traffic& here = traffic[kind];
      if (here.waits == 0) continue;
      for (const auto& [memory, share] : shares[kind]) {
        load.move(group, memory, here.read * share, here.written * share);
        load.threads[g] += here.waits * share * group.latency_seconds[memory] / group.threads;
      }
    }
  }
  return load.seconds();
}

double CostModel::setup_seconds(std::size_t array, const Layout& layout) const {
  const Use& use = uses_[array];
  if (use.bytes == 0) return 0;
  const auto line = static_cast<double>(machine_.caches().line_bytes);
  Load load(*this);
  for (const auto& [node, size] : footprint(layout, use.bytes)) {
    const std::size_t memory = memory_index(node);
    const std::size_t g = nearest_group(memory);
    const Group& group = groups_[g];
    const auto bytes = static_cast<double>(size);
    const double writes = use.filled ? 2 : 1;  // zeroed by the system, then filled
    load.move(group, memory, 0, bytes * writes);
    double waiting = bytes * writes / line * group.latency_seconds[memory];
    if (use.filled) {
      const double from_each = bytes / static_cast<double>(sources_.size());
      for (const std::size_t source : sources_) {
        load.move(group, source, from_each, 0);
        waiting += from_each / line * group.latency_seconds[source];
      }
    }
    const double faults = bytes / static_cast<double>(page_bytes(layout.pages)) * kPageFaultSeconds;
    load.threads[g] += (faults + waiting / kStreamLinesInFlight) / group.threads;
  }
  return load.seconds();
}

}  // namespace Atoll::detail
