// Builds machines with hwloc: from this computer, an XML file or a synthetic description. The steps
// are the same for all three: load the topology, select the allowed parts, build places, memories
// and links.
#pragma once

#include <hwloc.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::detail {

/// Reads the text of an hwloc XML file; `where` names the file in errors.
[[nodiscard]] Machine machine_from_xml(const std::string& text, std::string_view where);
/// Reads an hwloc synthetic description. Returns std::nullopt if `description` isn't one.
[[nodiscard]] std::optional<Machine> machine_from_synthetic(const std::string& description);

/// Deleter of a topology.
struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;
/// Returns an initialised topology that isn't loaded yet.
[[nodiscard]] Topology new_topology();

/// A loaded topology, and the selection of its usable parts.
struct Hwloc {
  hwloc_topology_t topology = nullptr;
  std::function<bool(int pu)> may_run_on;
  std::function<bool(NodeId node)> may_allocate_on;
  std::map<int, NodeId> node_of_pu;  ///< the initiator of each processing unit
  std::map<NodeId, hwloc_obj_t> nodes;
  bool has_capacities = false;  ///< false for some dumps and virtual machines

  /// False for a node that has only processing units: its capacity is 0 while other nodes have one.
  [[nodiscard]] bool is_memory(hwloc_obj_t node) const {
    return !has_capacities || node->attr->numanode.local_memory > 0;
  }
};

/// Returns `bytes`, or 0 (unknown) if the value exceeds any computer's.
[[nodiscard]] std::uint64_t or_unknown(std::uint64_t bytes);

[[nodiscard]] NodeId node_id(hwloc_obj_t numa_node);

/// Appends the NUMA nodes attached to an object, including those below memory-side caches.
void attached_nodes(hwloc_obj_t object, std::vector<hwloc_obj_t>& nodes);

/// Returns the initiator of each processing unit as listed in the kernel's cpumaps of the nodes
/// below `root`, which is "" for this system. If several nodes list a unit, the first one is used.
/// Empty if the cpumaps can't be read. Needed because hwloc drops the processing units of nodes
/// that split packages or caches.
[[nodiscard]] std::map<int, NodeId> listed_initiators(hwloc_topology_t topology,
                                                      const std::string& root);
/// Returns a one-line message if hwloc seems to have dropped processing units of NUMA nodes, else
/// "".
[[nodiscard]] std::string lost_initiators(hwloc_topology_t topology);

/// Returns the initiator of each processing unit as shown by hwloc: the first ordinary NUMA node of
/// the nearest enclosing object with such a node. Memories of other kinds (HBM, NVM, …) aren't
/// initiators. If no enclosing object has a NUMA node, Atoll assigns an unused node number.
[[nodiscard]] std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology);

/// Builds the numbered tree of the usable parts, with memories attached.
[[nodiscard]] Place build_places(const Hwloc& hwloc);

/// Builds the machine. `prepare` is called with the data after places and memories are built,
/// before links are.
[[nodiscard]] Machine build_machine(Hwloc& hwloc, std::string name, const Source& capacity_source,
                                    const std::function<void(Machine::Data&)>& prepare,
                                    std::string_view where);
/// Builds the machine of a topology of another system; all of its allowed parts are used.
/// `node_of_pu` has the known initiators; hwloc's are used for the other processing units.
[[nodiscard]] Machine build_recorded(hwloc_topology_t topology, std::string name,
                                     const Source& capacity_source, std::string_view where,
                                     std::map<int, NodeId> node_of_pu = {});

/// Returns the memory-side cache that hwloc shows in front of a NUMA node; if there are several,
/// the one nearest to the processors. Its speed is estimated because hwloc doesn't report it.
/// Returns std::nullopt if there is none, or if its size is implausible.
[[nodiscard]] std::optional<MemorySideCache> memory_side_of(hwloc_obj_t numa_node,
                                                            std::uint64_t line_bytes,
                                                            std::uint64_t capacity_bytes);

/// Sets latency, bandwidth and distance for all pairs of an initiator and a memory in `data`, and
/// the memories' tiers. Appends the source of the distances to `data.about`.
void build_links(const Hwloc& hwloc, Machine::Data& data);

}  // namespace Atoll::detail
