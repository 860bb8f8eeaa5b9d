// Figures of links: hwloc's where known, estimates for the rest. docs/machine-file.md also has the
// rules:
//   distance   from the firmware (SLIT), if valid; else 10 to the own node, 16 within the package
//              (or numa place), 22 beyond
//   latency    from hwloc's memory attributes (ACPI HMAT); else the figure from the nearest
//   bandwidth  initiator, scaled by the SLIT distances. If that is unknown, the usual figure of
//              the tier, scaled by distance for DRAM without processing units. An estimated
//              bandwidth into another package is limited to that of the nearest initiator's own
//              memory, which is reached over the same link
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "machine/hwloc_read.hpp"
#include "machine/node_set.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {
namespace {

enum class Quantity { latency, read, write };
constexpr Quantity kQuantities[] = {Quantity::latency, Quantity::read, Quantity::write};

struct Usual {
  std::string_view tier;
  double latency_ns, read, write;  ///< mostly half of `read`: a write reads the line first
};
constexpr Usual kUsual[] = {{"dram", 100, 50e9, 25e9},
                            {"hbm", 120, 250e9, 125e9},
                            {"cxl", 250, 24e9, 12e9},
                            {"pmem", 300, 30e9, 10e9},
                            {"gpu", 1000, 12e9, 12e9}};

const Source kTold{Origin::firmware, "hwloc's memory attributes (ACPI HMAT)"};

double usual(std::string_view tier, Quantity quantity) {
  const auto row = std::find_if(std::begin(kUsual), std::end(kUsual),
                                [&](const Usual& known) { return known.tier == tier; });
  return quantity == Quantity::latency ? row->latency_ns
         : quantity == Quantity::read  ? row->read
                                       : row->write;
}

/// Rounds an estimate to three significant digits, to avoid false precision.
double three_digits(double value) {
  return std::stod(fmt::format("{:.2e}", value));
}

/// DRAM becomes slower with distance. The usual figures of other tiers already include a distance.
Figure usual_figure(std::string_view tier, Quantity quantity, double distance) {
  const double value = usual(tier, quantity);
  if (tier != "dram" || distance == 10)
    return {value,
            {Origin::estimated, fmt::format("usual for {}, for want of a measurement", tier)}};
  const bool is_latency = quantity == Quantity::latency;
  return {three_digits(is_latency ? value * distance / 10 : value * 10 / distance),
          {Origin::estimated,
           is_latency ? "usual for dram x distance / 10" : "usual for dram x 10 / distance"}};
}

Figure& figure_of(Link& link, Quantity quantity) {
  return quantity == Quantity::latency ? link.latency_ns
         : quantity == Quantity::read  ? link.read_bytes_per_second
                                       : link.write_bytes_per_second;
}

class Links {
 public:
  Links(const Hwloc& hwloc, Machine::Data& data) : hwloc_(hwloc), data_(data), common_(data) {
    for (const Processor& processor : data.processors)
      initiators_[processor.node].push_back(processor.os_index);
  }

  void build() {
    find_distances();
    for (MemoryNode& memory : data_.memories) memory.tier = tier_of(memory.id);
    // Initiators' own memories first, because they limit the others.
    for (const bool own : {true, false})
      for (const MemoryNode& memory : data_.memories)
        if (initiators_.contains(memory.id) == own) find_figures(memory);
  }

 private:
  /// Returns the firmware's matrix if Linux would accept it as a SLIT; else, or if a pair is
  /// missing, an empty map. The matrix has no rows for processing units without a NUMA node.
  std::map<std::pair<NodeId, NodeId>, double> firmware_distances() const {
    std::map<std::pair<NodeId, NodeId>, double> found;
    unsigned count = 1;
    hwloc_distances_s* matrix = nullptr;
    if (hwloc_distances_get_by_name(hwloc_.topology, "NUMALatency", &count, &matrix, 0) != 0 ||
        count == 0)
      return found;
    bool valid = true;
    for (unsigned i = 0; i < matrix->nbobjs; ++i)
      for (unsigned j = 0; j < matrix->nbobjs; ++j) {
        const auto distance = static_cast<double>(matrix->values[i * matrix->nbobjs + j]);
        valid = valid && (i == j ? distance == 10 : distance > 10 && distance <= 255);
        found[{node_id(matrix->objs[i]), node_id(matrix->objs[j])}] = distance;
      }
    hwloc_distances_release(hwloc_.topology, matrix);
    if (!valid) found.clear();
    for (const auto& [from, unused] : initiators_)
      for (const MemoryNode& memory : data_.memories)
        if (hwloc_.nodes.contains(from) && !found.contains({from, memory.id})) return {};
    return found;
  }

  /// True if a package or numa place contains both the initiator and the memory.
  bool in_package(NodeId from, NodeId to) const {
    const std::string& place = common_.name(from, to);
    return place != "machine" && !place.starts_with("group");
  }

  void find_distances() {
    const auto firmware = firmware_distances();
    for (const auto& [from, unused] : initiators_)
      for (const MemoryNode& memory : data_.memories) {
        const double estimate = from == memory.id ? 10 : in_package(from, memory.id) ? 16 : 22;
        data_.links[{from, memory.id}].distance =
            firmware.contains({from, memory.id}) ? firmware.at({from, memory.id}) : estimate;
      }
    if (!data_.about.empty()) data_.about += ". ";
    data_.about +=
        firmware.empty()
            ? "Distances: estimated, 10 to the own node, 16 within the package, 22 beyond."
            : "Distances: the firmware's (SLIT), through hwloc.";
    for (const auto& [from, units] : initiators_)
      if (!hwloc_.nodes.contains(from))
        data_.about += fmt::format(
            " Node {} is no NUMA node: processing units {} have no memory of their own.",
            from.value, format_numbers(units));
  }

  /// Returns the first known value among hwloc's memory attributes `ids`.
  std::optional<double> attribute(NodeId from, NodeId to,
                                  std::initializer_list<hwloc_memattr_id_e> ids) const {
    const hwloc_bitmap_t units = hwloc_bitmap_alloc();
    for (const int pu : initiators_.at(from)) hwloc_bitmap_set(units, static_cast<unsigned>(pu));
    hwloc_location initiator{};
    initiator.type = HWLOC_LOCATION_TYPE_CPUSET;
    initiator.location.cpuset = units;
    std::optional<double> found;
    for (const hwloc_memattr_id_e id : ids) {
      hwloc_uint64_t value = 0;
      if (hwloc_memattr_get_value(hwloc_.topology, id, hwloc_.nodes.at(to), &initiator, 0,
                                  &value) == 0 &&
          value > 0) {
        found = static_cast<double>(value);
        break;
      }
    }
    hwloc_bitmap_free(units);
    return found;
  }

  /// Returns hwloc's value in ns or bytes per second (hwloc uses MiB/s).
  std::optional<double> hwloc_value(NodeId from, NodeId to, Quantity quantity) const {
    if (quantity == Quantity::latency)
      return attribute(from, to, {HWLOC_MEMATTR_ID_READ_LATENCY, HWLOC_MEMATTR_ID_LATENCY});
    auto value =
        quantity == Quantity::read
            ? attribute(from, to, {HWLOC_MEMATTR_ID_READ_BANDWIDTH, HWLOC_MEMATTR_ID_BANDWIDTH})
            : attribute(from, to, {HWLOC_MEMATTR_ID_WRITE_BANDWIDTH, HWLOC_MEMATTR_ID_BANDWIDTH});
    if (value) *value *= 0x1p20;
    return value;
  }

  double distance(NodeId from, NodeId to) const { return data_.links.at({from, to}).distance; }

  NodeId nearest(NodeId to) const {
    NodeId best = initiators_.begin()->first;
    for (const auto& [from, unused] : initiators_)
      if (distance(from, to) < distance(best, to)) best = from;
    return best;
  }

  /// Returns the tier that hwloc names. Otherwise, the tier of a memory without processing units
  /// follows from its figures relative to the memory of its nearest initiator.
  std::string tier_of(NodeId node) const {
    const hwloc_obj_t object = hwloc_.nodes.at(node);
    std::string words = object->subtype != nullptr ? object->subtype : "";
    for (const char* key : {"DAXType", "DAXParent"})
      if (const char* value = hwloc_obj_get_info_by_name(object, key))
        words.append(" ").append(value);
    const std::pair<std::string_view, std::string_view> known[] = {
        {"MCDRAM", "hbm"}, {"HBM", "hbm"},  {"GPUMemory", "gpu"}, {"CXL", "cxl"},
        {"cxl", "cxl"},    {"NVM", "pmem"}, {"ndbus", "pmem"}};
    for (const auto& [word, tier] : known)
      if (words.find(word) != std::string::npos) return std::string(tier);
    if (initiators_.contains(node)) return "dram";
    const NodeId from = nearest(node);
    if (!hwloc_.nodes.contains(from)) return "dram";
    const auto beyond = [&](Quantity quantity, double times) {
      const auto here = hwloc_value(from, node, quantity);
      const auto own = hwloc_value(from, from, quantity);
      return here && own && *here > times * *own;
    };
    if (beyond(Quantity::read, 1.5)) return "hbm";
    return beyond(Quantity::latency, 1.3) ? "cxl" : "dram";
  }

  void find_figures(const MemoryNode& memory) {
    const NodeId base = nearest(memory.id);
    for (const Quantity quantity : kQuantities) {
      const bool is_latency = quantity == Quantity::latency;
      Figure& at_base = figure_of(data_.links[{base, memory.id}], quantity);
      if (const auto value = hwloc_value(base, memory.id, quantity))
        at_base = {*value, kTold};
      else
        at_base = usual_figure(memory.tier, quantity, distance(base, memory.id));
      for (const auto& [from, unused] : initiators_) {
        if (from == base) continue;
        Figure& figure = figure_of(data_.links[{from, memory.id}], quantity);
        const double farther = distance(from, memory.id) / distance(base, memory.id);
        if (const auto value = hwloc_value(from, memory.id, quantity))
          figure = {*value, kTold};
        else if (farther == 1)
          figure = at_base;
        else
          figure = {three_digits(is_latency ? at_base.value * farther : at_base.value / farther),
                    {Origin::estimated,
                     is_latency ? "latency from the nearest node x ratio of the distances"
                                : "bandwidth from the nearest node / ratio of the distances"}};
        if (!is_latency) limit_by_link(from, base, memory.id, quantity, figure);
      }
    }
  }

  /// Limits an estimated bandwidth into another package. `base` is the initiator nearest to the
  /// memory. Its own memory is reached over the same link, so that memory's bandwidth is the limit.
  void limit_by_link(NodeId from, NodeId base, NodeId to, Quantity quantity, Figure& figure) {
    if (figure.source.origin != Origin::estimated || base == to ||
        !data_.links.contains({base, base}) || in_package(from, base))
      return;
    const Figure& over_link = figure_of(data_.links.at({from, base}), quantity);
    if (figure.value > over_link.value)
      figure = {over_link.value,
                {Origin::estimated, fmt::format("as node {}, over the same link", base.value)}};
  }

  const Hwloc& hwloc_;
  Machine::Data& data_;
  const CommonPlaces common_;
  std::map<NodeId, std::vector<int>> initiators_;
};

}  // namespace

void build_links(const Hwloc& hwloc, Machine::Data& data) {
  Links(hwloc, data).build();
}

}  // namespace Atoll::detail
