// Determines the NUMA node of each processing unit, as listed by the kernel or as shown by hwloc.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

#include "machine/hwloc_read.hpp"
#include "machine/node_set.hpp"

namespace Atoll::detail {
namespace {

bool is_ordinary(hwloc_obj_t node) {
  const bool named = node->subtype != nullptr && std::string_view(node->subtype) != "DRAM";
  return !named && hwloc_obj_get_info_by_name(node, "DAXDevice") == nullptr;
}

/// Assigns unused node numbers to processing units that belong to no NUMA node. Units share a
/// number if they are in the same package, or in the same smallest object that has memories
/// elsewhere.
class UnusedNodeNumbers {
 public:
  explicit UnusedNodeNumbers(hwloc_topology_t topology)
      : taken_(hwloc_bitmap_dup(hwloc_topology_get_complete_nodeset(topology))) {}
  UnusedNodeNumbers(const UnusedNodeNumbers&) = delete;
  UnusedNodeNumbers& operator=(const UnusedNodeNumbers&) = delete;
  ~UnusedNodeNumbers() { hwloc_bitmap_free(taken_); }

  NodeId of(hwloc_obj_t unit) {
    hwloc_obj_t around = unit;
    while (around->parent != nullptr && around->type != HWLOC_OBJ_PACKAGE &&
           hwloc_bitmap_iszero(around->nodeset) != 0)
      around = around->parent;
    const auto [known, is_new] = known_.try_emplace(around);
    if (is_new) {
      const auto number = static_cast<unsigned>(hwloc_bitmap_next_unset(taken_, -1));
      hwloc_bitmap_set(taken_, number);
      known->second = NodeId{number};
    }
    return known->second;
  }

 private:
  hwloc_bitmap_t taken_;
  std::map<hwloc_obj_t, NodeId> known_;
};

/// Returns the ordinary NUMA nodes with memory that are attached to an object.
std::vector<NodeId> ordinary_nodes(hwloc_obj_t object) {
  std::vector<hwloc_obj_t> nodes;
  attached_nodes(object, nodes);
  std::vector<NodeId> ordinary;
  for (const hwloc_obj_t node : nodes)
    if (is_ordinary(node) && node->attr->numanode.local_memory > 0)
      ordinary.push_back(node_id(node));
  return ordinary;
}

}  // namespace

void attached_nodes(hwloc_obj_t object, std::vector<hwloc_obj_t>& nodes) {
  for (hwloc_obj_t child = object->memory_first_child; child != nullptr;
       child = child->next_sibling) {
    if (child->type == HWLOC_OBJ_NUMANODE) nodes.push_back(child);
    attached_nodes(child, nodes);
  }
}

std::map<int, NodeId> initiators_by_locality(hwloc_topology_t topology) {
  UnusedNodeNumbers own(topology);
  std::map<int, NodeId> node_of_pu;
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    std::optional<NodeId> node;
    for (hwloc_obj_t around = unit; around != nullptr && !node; around = around->parent) {
      std::vector<hwloc_obj_t> nodes;
      attached_nodes(around, nodes);
      if (nodes.empty()) continue;
      const hwloc_obj_t nearest =
          *std::min_element(nodes.begin(), nodes.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
            return std::pair(!is_ordinary(a), a->os_index) <
                   std::pair(!is_ordinary(b), b->os_index);
          });
      node = node_id(nearest);
    }
    node_of_pu[static_cast<int>(unit->os_index)] = node ? *node : own.of(unit);
  }
  return node_of_pu;
}

std::map<int, NodeId> listed_initiators(hwloc_topology_t topology, const std::string& root) {
  std::map<int, NodeId> listed;
  const hwloc_bitmap_t units = hwloc_bitmap_alloc();
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    std::string map;
    std::getline(std::ifstream(
                     fmt::format("{}/sys/devices/system/node/node{}/cpumap", root, node->os_index)),
                 map);
    if (map.empty() || hwloc_bitmap_sscanf(units, map.c_str()) != 0) continue;
    for (int unit = hwloc_bitmap_first(units); unit >= 0; unit = hwloc_bitmap_next(units, unit))
      listed.emplace(unit, node_id(node));
  }
  hwloc_bitmap_free(units);
  return listed;
}

std::string lost_initiators(hwloc_topology_t topology) {
  const std::map<int, NodeId> node_of_pu = initiators_by_locality(topology);
  std::set<NodeId> initiators;
  for (const auto& [unit, node] : node_of_pu) initiators.insert(node);
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  std::vector<NodeId> with, without;
  for (const NodeId node : ordinary_nodes(root))
    (initiators.contains(node) ? with : without).push_back(node);
  const int packages = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PACKAGE);
  if (packages < 2 || with.empty() || without.empty()) return "";
  return fmt::format(
      "hwloc shows no processing units of node {}, and gives those of {} packages to node {}; if "
      "node {} has some (lscpu shows them), hwloc lost them: write a machine file (atoll machine "
      "--json)",
      format_nodes(without), packages, format_nodes(with), format_nodes(without));
}

}  // namespace Atoll::detail
