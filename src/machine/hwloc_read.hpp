// Makes machines with hwloc: of this computer, an XML file or a synthetic description. All three
// take the same steps: the topology is loaded, the parts that may be used are chosen, then places,
// memories and links are built.
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

/// Reads the text of an hwloc XML file; `where` names it in errors.
[[nodiscard]] Machine machine_from_xml(const std::string& text, std::string_view where);
/// Reads an hwloc synthetic description. Returns nothing if `description` isn't one.
[[nodiscard]] std::optional<Machine> machine_from_synthetic(const std::string& description);

/// Frees a topology at the end of its scope.
struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;
/// Begins a topology that isn't loaded yet.
[[nodiscard]] Topology new_topology();

/// A loaded topology and the parts of it that are used.
struct Hwloc {
  hwloc_topology_t topology = nullptr;
  std::function<bool(int pu)> may_run_on;
  std::function<bool(NodeId node)> may_allocate_on;
  std::map<int, NodeId> node_of_pu;  ///< the initiator of every processing unit
  std::map<NodeId, hwloc_obj_t> nodes;
  bool has_capacities = false;  ///< some dumps and virtual machines give none

  /// False for a node of processing units alone: other nodes have a capacity, and it has none.
  [[nodiscard]] bool is_memory(hwloc_obj_t node) const {
    return !has_capacities || node->attr->numanode.local_memory > 0;
  }
};

/// Returns `bytes`, or 0 (unknown) if no computer has as many.
[[nodiscard]] std::uint64_t or_unknown(std::uint64_t bytes);

[[nodiscard]] NodeId node_id(hwloc_obj_t numa_node);

/// Adds the NUMA nodes attached to an object, those behind memory-side caches included.
void attached_nodes(hwloc_obj_t object, std::vector<hwloc_obj_t>& nodes);

/// Returns the initiator of each processing unit as the kernel lists it in the nodes' cpumaps below
/// `root`, which is "" for this system: the first node, if several list a unit. Empty: it can't be
/// read. hwloc drops the processing units of nodes that cut packages or caches.
[[nodiscard]] std::map<int, NodeId> listed_initiators(hwloc_topology_t topology,
                                                      const std::string& root);
/// Returns one line if hwloc seems to have dropped the processing units of NUMA nodes, else "".
[[nodiscard]] std::string lost_initiators(hwloc_topology_t topology);

/// Returns the initiator of each processing unit as hwloc shows it: the first ordinary NUMA node of
/// the nearest object around it that has any. Memories of another kind (HBM, NVM, …) are no
/// initiators. If no object around has a NUMA node, the initiator's number is one of Atoll's own.
[[nodiscard]] std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology);

/// Builds the tree of what may be used: numbered, with memories attached.
[[nodiscard]] Place build_places(const Hwloc& hwloc);

/// Builds the machine. `prepare` gets the data once it has places and memories, before the links.
[[nodiscard]] Machine build_machine(Hwloc& hwloc, std::string name, const Source& capacity_source,
                                    const std::function<void(Machine::Data&)>& prepare,
                                    std::string_view where);
/// Builds the machine of a topology that isn't this system's: all that it allows is used.
/// `node_of_pu` has the initiators that are known; hwloc's are taken for the others.
[[nodiscard]] Machine build_recorded(hwloc_topology_t topology, std::string name,
                                     const Source& capacity_source, std::string_view where,
                                     std::map<int, NodeId> node_of_pu = {});

/// The memory-side cache that hwloc shows in front of a NUMA node, the nearest one to the
/// processors where there are several. hwloc doesn't tell how fast it is: that is estimated.
/// Nothing: there is none, or one of a size that can't be.
[[nodiscard]] std::optional<MemorySideCache> memory_side_of(hwloc_obj_t numa_node,
                                                            std::uint64_t line_bytes,
                                                            std::uint64_t capacity_bytes);

/// Sets latency, bandwidth and distance of all pairs of `data`'s initiators and memories, and the
/// memories' tiers. Says in `data.about` where the distances come from.
void build_links(const Hwloc& hwloc, Machine::Data& data);

}  // namespace Atoll::detail
