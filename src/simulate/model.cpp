#include "simulate/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "atoll/base/error.hpp"
#include "machine/place_tree.hpp"
#include "machine/routes.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {
namespace {

using enum HardwareFigure;

/// Sizes of unknown caches.
constexpr std::uint64_t kUsualL1 = 32 << 10, kUsualL2 = 256 << 10;

double at(const Figures& figures, HardwareFigure which) {
  return figures.hardware[static_cast<std::size_t>(which)];
}
std::uint32_t count(const Figures& figures, HardwareFigure which) {
  return static_cast<std::uint32_t>(std::llround(at(figures, which)));
}

/// True for figures that affect which accesses hit.
bool decides_hits(HardwareFigure figure) {
  switch (figure) {
    case l1_ways:
    case l2_ways:
    case l3_ways:
    case l3_inclusive:
    case tlb1_4k:
    case tlb1_2m:
    case tlb1_1g:
    case tlb1_ways:
    case tlb2_4k:
    case tlb2_2m:
    case tlb2_1g:
    case tlb2_ways:
    case walk_cache:
    case prefetch_streams:
    case prefetch_distance:
    case prefetch_crosses:
    case open_rows:
      return true;
    default:
      return false;
  }
}

/// True for figures that are error margins of the machine's links.
bool is_of_links(HardwareFigure figure) {
  return figure == local_latency || figure == remote_latency || figure == memory_bandwidth ||
         figure == wire_bandwidth;
}

bool is_local(const Machine& machine, NodeId node, NodeId memory) {
  return node == memory || machine.nearest_initiator(memory) == node;
}

/// Largest cache of each level.
struct CacheSizes {
  std::uint64_t l1 = 0, l2 = 0, l3 = 0;
};

}  // namespace

Figures VariableFigure::moved(Figures figures, bool up) const {
  (factor != nullptr ? figures.*factor : figures.hardware[hardware]) = up ? high : low;
  return figures;
}

Figures figures_of(const Machine& machine) {
  Figures figures;
  for (const HardwareRow& row : hardware_figures())
    figures.hardware[static_cast<std::size_t>(row.figure)] = machine.hardware()[row.figure].value;
  // Older files list the TLB's entries among the caches.
  const CacheFigures& caches = machine.caches();
  const auto take = [&](HardwareFigure figure, std::uint64_t entries) {
    if (entries > 0 && !machine.hardware().figures.contains(figure))
      figures.hardware[static_cast<std::size_t>(figure)] = static_cast<double>(entries);
  };
  take(tlb2_4k, caches.tlb_4k);
  take(tlb2_2m, caches.tlb_2m);
  take(tlb2_1g, caches.tlb_1g);
  return figures;
}

std::vector<VariableFigure> knobs_of(const Machine& machine) {
  std::set<HardwareFigure> estimated;  // figures of is_of_links() whose links are estimates
  const auto note = [&](const Figure& figure, HardwareFigure which) {
    if (figure.source.origin == Origin::estimated) estimated.insert(which);
  };
  for (const auto& [pair, link] : machine.data().links) {
    const bool near = is_local(machine, pair.first, pair.second);
    note(link.latency_ns, near ? local_latency : remote_latency);
    note(link.read_bytes_per_second, near ? memory_bandwidth : wire_bandwidth);
  }
  for (const Wire& wire : machine.hardware().wires) note(wire.bytes_per_second, wire_bandwidth);
  std::vector<VariableFigure> knobs;
  for (const HardwareRow& row : hardware_figures()) {
    const RangedFigure figure = machine.hardware()[row.figure];
    if (is_of_links(row.figure) && !estimated.contains(row.figure) &&
        !machine.hardware().figures.contains(row.figure))
      continue;  // measured, or stated by the file's author
    if (figure.low < figure.high)
      knobs.push_back({std::string(row.name), nullptr, static_cast<std::size_t>(row.figure),
                       figure.low, figure.high, decides_hits(row.figure)});
  }
  add_memory_side_knobs(machine, knobs);
  return knobs;
}

Timing timing_of(const Machine& machine, const Figures& figures) {
  Timing timing;
  const double cycle = 1e3 / at(figures, clock);  // ticks
  const auto cycles = [&](HardwareFigure which) {
    return static_cast<Ticks>(std::llround(at(figures, which) * cycle));
  };
  const auto ns = [&](HardwareFigure which) { return ticks_of_ns(at(figures, which)); };
  timing.core.instruction = cycle / at(figures, width);
  timing.core.division = cycles(division);
  timing.core.chain_step = cycles(chain_step);
  timing.core.atomic = cycles(atomic);
  timing.core.l2_instruction = at(figures, l2_width) > 0 ? cycle / at(figures, l2_width) : 0;
  timing.core.window = count(figures, window);
  timing.core.in_order = count(figures, in_order) != 0;
  timing.core.lines = count(figures, lines_in_flight);
  timing.core.l2_lines = count(figures, l2_lines_in_flight);
  timing.core.prefetch_lines = count(figures, prefetch_lines);
  timing.core.stores = count(figures, store_buffer);
  timing.core.walkers = count(figures, walkers);
  timing.core.l1 = cycles(l1_latency);
  timing.core.l2 = cycles(l2_latency);
  timing.machine.l3 = detail::caches_of(machine.root()).l3_bytes > 0 ? ns(l3_latency) : 0;
  timing.machine.near_cache = ns(near_transfer);
  timing.machine.near_take = at(figures, near_take) > 0 ? ns(near_take) : timing.machine.near_cache;
  timing.machine.near_hold = ns(near_hold);
  timing.machine.far_cache = ns(far_transfer);
  timing.core.tlb2 = cycles(tlb2_latency);
  timing.core.walk = cycles(walk_latency);
  timing.core.l1_fill = cycles(l1_fill);
  timing.core.l2_fill = cycles(l2_fill);
  timing.machine.l3_line = ns(l3_line);
  timing.machine.home_busy = ns(home_busy);
  timing.machine.page_fault = {ns(page_fault_4k), ns(page_fault_2m), ns(page_fault_1g)};
  timing.machine.line_bytes = static_cast<std::uint32_t>(machine.caches().line_bytes);

  const std::vector<NodeId>& nodes = machine.initiators();
  const auto memories = machine.memories();
  timing.machine.nodes = static_cast<std::uint32_t>(nodes.size());
  timing.machine.memories = static_cast<std::uint32_t>(memories.size());
  const double line = static_cast<double>(timing.machine.line_bytes) * kTicksOfSecond;
  for (const MemoryNode& memory : memories) {
    const NodeId near = machine.nearest_initiator(memory.id);
    timing.machine.node_of_home.push_back(static_cast<std::uint32_t>(
        std::lower_bound(nodes.begin(), nodes.end(), near) - nodes.begin()));
    const Link& link = machine.link(near, memory.id);
    const double read = link.read_bytes_per_second.value * at(figures, memory_bandwidth);
    const double write = link.write_bytes_per_second.value * at(figures, memory_bandwidth);
    // A program's write reads each line first, so the measured write bandwidth includes a read.
    const double write_service =
        line / write - line / read > 0 ? line / write - line / read : line / write;
    const double closed = at(figures, closed_row_share);
    timing.machine.read_open.push_back(static_cast<Ticks>(line / read));
    timing.machine.read_closed.push_back(static_cast<Ticks>(line / read / closed));
    timing.machine.write_open.push_back(static_cast<Ticks>(write_service));
    timing.machine.write_closed.push_back(static_cast<Ticks>(write_service / closed));
  }
  timing.machine.memory_side = memory_side_timing(machine, figures);
  const detail::Routes routes(machine.data());
  for (const Wire& wire : routes.wires())
    for (int direction = 0; direction < 2; ++direction)
      timing.machine.wire.push_back(
          static_cast<Ticks>(line / (wire.bytes_per_second.value * at(figures, wire_bandwidth))));
  const auto route = [&](NodeId from, NodeId to) {
    std::vector<std::uint16_t> wires;
    for (const detail::Hop& hop : routes.find(from, to).value_or(std::vector<detail::Hop>{}))
      wires.push_back(static_cast<std::uint16_t>(2 * hop.wire + (hop.forward ? 0 : 1)));
    return wires;
  };
  for (const NodeId node : nodes) {
    for (const MemoryNode& memory : memories) {
      const bool local = is_local(machine, node, memory.id);
      timing.machine.is_local.push_back(local);
      timing.machine.latency.push_back(
          ticks_of_ns(machine.link(node, memory.id).latency_ns.value *
                      at(figures, local ? local_latency : remote_latency)));
      timing.machine.from_memory.push_back(route(memory.id, node));
      timing.machine.to_memory.push_back(route(node, memory.id));
    }
    for (const NodeId other : nodes) timing.machine.from_node.push_back(route(other, node));
  }
  return timing;
}

Shape shape_of(Shape shape, const Figures& figures) {
  shape.l1.ways = count(figures, l1_ways);
  shape.l2.ways = count(figures, l2_ways);
  shape.l3.ways = count(figures, l3_ways);
  shape.l3_is_inclusive = count(figures, l3_inclusive) != 0;
  const auto tlb = [&](HardwareFigure entries, HardwareFigure ways) {
    return CacheShape{count(figures, entries), count(figures, ways)};
  };
  shape.tlb1 = {tlb(tlb1_4k, tlb1_ways), tlb(tlb1_2m, tlb1_ways), tlb(tlb1_1g, tlb1_ways)};
  shape.tlb2 = {tlb(tlb2_4k, tlb2_ways), tlb(tlb2_2m, tlb2_ways), tlb(tlb2_1g, tlb2_ways)};
  shape.walk_cache = count(figures, walk_cache);
  shape.prefetch_streams = count(figures, prefetch_streams);
  shape.prefetch_distance = count(figures, prefetch_distance);
  shape.prefetch_crosses = count(figures, prefetch_crosses);
  shape.open_rows = count(figures, open_rows);
  return shape;
}

Model model_of(const Machine& machine) {
  constexpr std::size_t kMax = 4095;
  const std::vector<NodeId>& nodes = machine.initiators();
  if (machine.processors().size() > kMax || machine.memories().size() > 1024)
    throw Error::input(machine.name(), "has more processing units or memories than are simulated",
                       "take a machine of at most 4095 and 1024");
  Model model;
  Shape& shape = model.shape;
  model.nodes = nodes;
  for (const MemoryNode& memory : machine.memories()) model.memories.push_back(memory.id);
  for (const NodeId node : nodes) {
    const NodeId nearest = machine.order(node, Ordering::latency).front();
    // First touch uses the node's own memory if it has one.
    const NodeId own = machine.has_memory(node) ? node : nearest;
    model.memory_of_node.push_back(static_cast<std::uint16_t>(
        std::lower_bound(model.memories.begin(), model.memories.end(), own) -
        model.memories.begin()));
  }
  // Assigns the caches to processing units; instances are numbered in tree order.
  std::map<const Place*, std::uint32_t> l1s, l2s;
  std::map<std::pair<const Place*, std::uint32_t>, std::uint32_t> chips;
  CacheSizes sizes;
  std::map<int, const Processor*> processors;
  for (const Processor& processor : machine.processors())
    processors[processor.os_index] = &processor;
  detail::walk(machine.root(), [&](const Place& place, const detail::Path& path) {
    if (place.kind != PlaceKind::pu) return;
    const Processor& processor = *processors.at(place.os_index);
    const Place* l1_place = nullptr;
    const Place* l2_place = nullptr;
    const Place* l3_place = nullptr;
    const Place* core_place = nullptr;
    for (const Place* const around : path) {
      if (around->kind == PlaceKind::l1) l1_place = around;
      if (around->kind == PlaceKind::l2) l2_place = around;
      if (around->kind == PlaceKind::l3) l3_place = around;
      if (around->kind == PlaceKind::core) core_place = around;
    }
    if (core_place == nullptr) core_place = &place;
    if (l1_place == nullptr) l1_place = core_place;
    if (l2_place == nullptr) l2_place = l1_place;
    HardwareThread hw_thread;
    hw_thread.node = static_cast<std::uint32_t>(
        std::lower_bound(nodes.begin(), nodes.end(), processor.node) - nodes.begin());
    const auto instance = [](std::map<const Place*, std::uint32_t>& all, const Place* which) {
      return all.emplace(which, static_cast<std::uint32_t>(all.size())).first->second;
    };
    hw_thread.core = instance(l1s, l1_place);
    // Without a level 3 cache, a chip is a node.
    const auto [chip, new_chip] =
        chips.emplace(std::pair(l3_place, l3_place != nullptr ? 0 : hw_thread.node),
                      static_cast<std::uint32_t>(chips.size()));
    hw_thread.chip = chip->second;
    if (new_chip) shape.node_of_chip.push_back(hw_thread.node);
    if (l3_place != nullptr) sizes.l3 = std::max(sizes.l3, l3_place->cache_bytes);
    const bool new_l2 = !l2s.contains(l2_place);
    hw_thread.l2 = instance(l2s, l2_place);
    if (new_l2) shape.chip_of_l2.push_back(hw_thread.chip);
    sizes.l1 = std::max(sizes.l1, l1_place->kind == PlaceKind::l1 ? l1_place->cache_bytes : 0);
    sizes.l2 = std::max(sizes.l2, l2_place->kind == PlaceKind::l2 ? l2_place->cache_bytes : 0);
    model.hw_threads[place.os_index] = hw_thread;
  });
  shape.cores = static_cast<std::uint32_t>(l1s.size());
  shape.l2s = static_cast<std::uint32_t>(l2s.size());
  shape.chips = static_cast<std::uint32_t>(shape.node_of_chip.size());
  shape.memories = static_cast<std::uint32_t>(model.memories.size());
  const std::uint64_t line = machine.caches().line_bytes;
  shape.line_bits = std::countr_zero(line);
  if (sizes.l1 == 0) model.assumed.push_back("the level 1 cache has 32 KiB");
  if (sizes.l2 == 0) model.assumed.push_back("the level 2 cache has 256 KiB");
  const Figures figures = figures_of(machine);
  shape.l1.entries = (sizes.l1 > 0 ? sizes.l1 : kUsualL1) / line;
  shape.l2.entries = std::max((sizes.l2 > 0 ? sizes.l2 : kUsualL2) / line, shape.l1.entries);
  shape.l3.entries = sizes.l3 / line;
  shape.memory_side = memory_side_shape(machine);
  shape = shape_of(shape, figures);
  const detail::Routes routes(machine.data());
  for (const Wire& wire : routes.wires()) {
    model.wires.push_back({wire.a, wire.b});
    model.wires.push_back({wire.b, wire.a});
  }
  std::vector<std::string_view> unknown;
  for (const HardwareRow& row : hardware_figures())
    if (!machine.hardware().figures.contains(row.figure) && row.figure != l2_width &&
        row.figure != walk_latency && row.figure != in_order && !is_of_links(row.figure) &&
        (sizes.l3 > 0 || row.figure != l3_latency))
      unknown.push_back(row.name);
  if (unknown.size() > 6)
    model.assumed.push_back(
        fmt::format("{} doesn't tell {} of {} figures of its hardware: the usual ones are taken",
                    machine.name(), unknown.size(), hardware_figures().size()));
  else if (!unknown.empty())
    model.assumed.push_back(fmt::format("{} doesn't tell {}: the usual is taken", machine.name(),
                                        fmt::join(unknown, ", ")));
  if (!routes.are_known() && nodes.size() + model.memories.size() > 2)
    model.assumed.push_back(
        fmt::format("each pair of {}'s nodes has a wire of its own", machine.name()));
  return model;
}

}  // namespace Atoll::simulate
