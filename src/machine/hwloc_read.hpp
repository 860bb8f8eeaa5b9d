// Machines from hwloc: this computer, an XML file, a synthetic description. All three go the same
// way: a loaded topology, what of it may be used, places, memories, links.
#pragma once

#include <hwloc.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// From the text of an hwloc XML file; `where` names it in errors.
[[nodiscard]] Machine machine_from_xml(const std::string& text, std::string_view where);
/// From an hwloc synthetic description; nothing if it isn't one.
[[nodiscard]] std::optional<Machine> machine_from_synthetic(const std::string& description);

/// A loaded topology and what of it is to be used.
struct Hwloc {
  hwloc_topology_t topology = nullptr;
  std::function<bool(int pu)> may_run_on;
  std::function<bool(NodeId node)> may_allocate_on;
  std::map<int, NodeId> node_of_pu;  ///< the initiator of every processing unit
  std::map<NodeId, hwloc_obj_t> nodes;
};

[[nodiscard]] NodeId node_id(hwloc_obj_t numa_node);

/// The initiator of each processing unit as hwloc shows it: the first ordinary NUMA node of the
/// nearest object around it that has any. Memories of another kind (HBM, NVM, …) are no initiators.
[[nodiscard]] std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology);

/// The tree of what may be used, numbered, memories attached.
[[nodiscard]] Place build_places(const Hwloc& hwloc);

/// Latency, bandwidth and distance of all pairs of `data`'s initiators and memories; sets the
/// memories' tiers; tells in `data.about` where the distances come from.
void build_links(const Hwloc& hwloc, Machine::Data& data);

}  // namespace Atoll::detail
