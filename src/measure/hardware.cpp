// Writes measured figures into a machine.
#include "atoll/measure/hardware.hpp"

#include <fmt/format.h>

#include <cmath>

#include "atoll/base/units.hpp"
#include "measure/cpu_caches.hpp"
#include "measure/hardware_fit.hpp"
#include "measure/hardware_read.hpp"

namespace Atoll::measure {
namespace {

/// Sets the size of level 3 caches to the usable part.
void shrink_l3(Place& place, std::uint64_t bytes) {
  if (place.kind == PlaceKind::l3) place.cache_bytes = bytes;
  for (Place& child : place.children) shrink_l3(child, bytes);
}

}  // namespace

HardwareResult measure_hardware(const Machine& machine, const HardwareOptions& options) {
  std::vector<std::string> notes;
  const HardwareReadings readings = read_hardware(machine, options, notes);
  Machine::Data data = machine.data();
  for (const auto& [figure, value] : figures_from(readings)) data.hardware.figures[figure] = value;
  // This latency may be lower than the link's: its trials are shorter, it uses huge pages only, and
  // it is of the first core, which may be nearer to its memory.
  const NodeId node = machine.initiators().front();
  Link& link = data.links.at({node, machine.order(node, Ordering::latency).front()});
  if (const auto latency = memory_latency_ns(readings);
      latency && link.latency_ns.source.origin == Origin::measured &&
      *latency < link.latency_ns.value)
    link.latency_ns = {std::round(*latency * 10) / 10,
                       {Origin::measured, "the shortest chase of the largest working set"}};
  for (const auto& [figure, value] : cache_ways()) data.hardware.figures[figure] = value;
  if (const auto usable = usable_l3_bytes(readings);
      usable && *usable < 0.75 * static_cast<double>(readings.l3_bytes)) {
    const auto bytes = static_cast<std::uint64_t>(*usable) / kMiB * kMiB;
    if (bytes > readings.l2_bytes) {
      notes.push_back(fmt::format("programs can use {} of the {} of level 3 cache that is shown",
                                  format_bytes(bytes), format_bytes(readings.l3_bytes)));
      data.caches.l3_bytes = bytes;
      shrink_l3(data.root, bytes);
    }
  }
  return {Machine(std::move(data), machine.name()), std::move(notes)};
}

}  // namespace Atoll::measure
