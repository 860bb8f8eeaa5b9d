// Makes machines with hwloc: of this computer, an XML file or a synthetic description. All three
// take the same steps: the topology is loaded, the parts that may be used are chosen, then places,
// memories and links are built.
#pragma once

#include <hwloc.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// Reads the text of an hwloc XML file; `where` names it in errors.
[[nodiscard]] Machine machine_from_xml(const std::string& text, std::string_view where);
/// Reads an hwloc synthetic description. Returns nothing if `description` isn't one.
[[nodiscard]] std::optional<Machine> machine_from_synthetic(const std::string& description);

/// A loaded topology and the parts of it that are used.
struct Hwloc {
  hwloc_topology_t topology = nullptr;
  std::function<bool(int pu)> may_run_on;
  std::function<bool(NodeId node)> may_allocate_on;
  std::map<int, NodeId> node_of_pu;  ///< the initiator of every processing unit
  std::map<NodeId, hwloc_obj_t> nodes;
};

[[nodiscard]] NodeId node_id(hwloc_obj_t numa_node);

/// Returns the initiator of each processing unit as hwloc shows it: the first ordinary NUMA node of
/// the nearest object around it that has any. Memories of another kind (HBM, NVM, …) are no
/// initiators.
[[nodiscard]] std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology);

/// Builds the tree of what may be used: numbered, with memories attached.
[[nodiscard]] Place build_places(const Hwloc& hwloc);

/// Sets latency, bandwidth and distance of all pairs of `data`'s initiators and memories, and the
/// memories' tiers. Says in `data.about` where the distances come from.
void build_links(const Hwloc& hwloc, Machine::Data& data);

}  // namespace Atoll::detail
