// Loads topologies, and decides which parts may be used. Of this computer, only what this process
// may run on and allocate from is used, as of the first call: a Team pins the calling thread, which
// must not make the machine look smaller afterwards.
#include "machine/hwloc_read.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "machine/check.hpp"
#include "machine/isolate.hpp"
#include "machine/machine_file.hpp"
#include "machine/node_set.hpp"
#include "machine/place_tree.hpp"
#include "machine/system_memory.hpp"

namespace Atoll {
namespace detail {
namespace {

struct DestroyTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, DestroyTopology>;

Topology new_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error::failed("hwloc", "cannot begin a topology");
  Topology owned(topology);
  // The whole machine is loaded, so that a processing unit's node is known even if its memory is
  // not allowed. The parts that may be used are chosen below.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return owned;
}

std::string first_line_with(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(key);
    if (at != std::string::npos) return line.substr(at + key.size());
  }
  return {};
}

std::vector<int> numbers_in(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  if (text.empty()) return {};
  return parse_numbers(text, "this computer", 65535);
}

const std::set<int>& affinity_at_first() {
  static const std::set<int> units = [] {
    constexpr std::size_t kUnits = 65536;
    std::set<int> allowed;
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(
        CPU_ALLOC(kUnits), [](cpu_set_t* allocated) { CPU_FREE(allocated); });
    if (set && sched_getaffinity(0, CPU_ALLOC_SIZE(kUnits), set.get()) == 0)
      for (std::size_t unit = 0; unit < kUnits; ++unit)
        if (CPU_ISSET_S(unit, CPU_ALLOC_SIZE(kUnits), set.get()))
          allowed.insert(static_cast<int>(unit));
    return allowed;
  }();
  return units;
}

std::string node_folder(NodeId node) {
  return fmt::format("/sys/devices/system/node/node{}/", node.value);
}

/// The names by which a person recognises the machine, as printable ASCII whatever the firmware
/// wrote.
std::string described(hwloc_topology_t topology) {
  std::string text;
  const hwloc_obj_t root = hwloc_get_root_obj(topology);
  const hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
  for (const auto& [object, key] : {std::pair{root, "DMIProductName"}, {package, "CPUModel"}}) {
    const char* value = object != nullptr ? hwloc_obj_get_info_by_name(object, key) : nullptr;
    if (value != nullptr && *value != '\0')
      text += text.empty() ? value : std::string(", ") + value;
  }
  std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });
  return text;
}

Machine build(Hwloc& hwloc, std::string name, const Source& capacity_source, bool live,
              std::string_view where) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(hwloc.topology, HWLOC_OBJ_NUMANODE, object)) !=
         nullptr)
    hwloc.nodes[node_id(object)] = object;
  hwloc.node_of_pu = initiators_by_locality(hwloc.topology);
  if (live) {
    std::map<int, NodeId> told;  // as the system says; the first node, if several list a unit
    for (const auto& [node, unused] : hwloc.nodes)
      for (const int pu : numbers_in(first_line_with(node_folder(node) + "cpulist", "")))
        told.emplace(pu, node);
    for (const auto& [pu, node] : told) hwloc.node_of_pu[pu] = node;
  }

  Machine::Data data;
  data.name = std::move(name);
  data.about = described(hwloc.topology);
  data.root = build_places(hwloc);
  data.processors = list_processors(
      data.root, [&](const Place& pu, const Path&) { return hwloc.node_of_pu[pu.os_index]; });
  data.caches = caches_of(data.root);
  walk(data.root, [&](const Place& place, const Path&) {
    for (const NodeId node : place.memories) {
      MemoryNode memory;
      memory.id = node;
      memory.capacity_bytes = hwloc.nodes[node]->attr->numanode.local_memory;
      memory.source = capacity_source;
      data.memories.push_back(memory);
    }
  });
  std::sort(data.memories.begin(), data.memories.end(),
            [](const MemoryNode& a, const MemoryNode& b) { return a.id < b.id; });
  if (live) tell_free(data, SystemMemory());
  if (data.processors.empty() || data.memories.empty())
    throw Error::input(where, data.processors.empty() ? "no processing units" : "no memory",
                       live ? "see this process's cpuset cgroup and taskset -p"
                            : "give its NUMA nodes memory, as in 'numa:2(memory=1GB) core:4 pu:2'");
  build_links(hwloc, data);
  return {std::move(data), where};
}

Machine build_recorded(hwloc_topology_t topology, std::string name, const Source& capacity_source,
                       std::string_view where) {
  Hwloc hwloc;
  hwloc.topology = topology;
  hwloc.may_run_on = [=](int pu) {
    return hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology),
                              static_cast<unsigned>(pu)) != 0;
  };
  hwloc.may_allocate_on = [=](NodeId node) {
    return hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), node.value) != 0;
  };
  return build(hwloc, std::move(name), capacity_source, false, where);
}

}  // namespace

NodeId node_id(hwloc_obj_t numa_node) {
  return NodeId{numa_node->os_index};
}

Machine machine_from_xml(const std::string& text, std::string_view where) {
  constexpr std::string_view kWrong = "not an hwloc XML file, or a broken one";
  constexpr std::string_view kWayOut = "make one with 'lstopo FILE.xml'";
  const auto read = [&]() -> std::string {
    const Topology topology = new_topology();
    // The size includes the terminating zero.
    if (text.empty() ||
        hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(),
                                     static_cast<int>(text.size()) + 1) != 0 ||
        hwloc_topology_load(topology.get()) != 0)
      throw Error::input(where, kWrong, kWayOut);
    const std::size_t slash = where.rfind('/');
    const Source source{Origin::firmware, "hwloc's local_memory of the NUMA node"};
    return build_recorded(
               topology.get(),
               std::string(slash == std::string_view::npos ? where : where.substr(slash + 1)),
               source, where)
        .to_json();
  };
  return Machine::from_json(run_isolated(read, where, kWrong, kWayOut), where);
}

namespace {

/// The product of the counts: 16 for 'pack:2 [numa(memory=1GB)] core:4 pu:2'.
double units_of(const std::string& description) {
  double product = 1;
  int inside = 0;  // depth of brackets, which hold memories and attributes
  for (std::size_t i = 0; i < description.size(); ++i) {
    const char c = description[i], before = i == 0 ? ' ' : description[i - 1];
    if (c == '[' || c == '(') ++inside;
    if (c == ']' || c == ')') --inside;
    if (inside == 0 && c >= '0' && c <= '9' && (before == ':' || before == ' '))
      product *= std::strtod(&description[i], nullptr);
  }
  return product;
}

}  // namespace

std::optional<Machine> machine_from_synthetic(const std::string& description) {
  // hwloc would work on more for minutes.
  if (units_of(description) > kMaxProcessors)
    throw Error::input(description,
                       fmt::format("describes more than {} processing units", kMaxProcessors),
                       "describe a smaller machine, like 'pack:2 core:4 pu:2'");
  const auto read = [&]() -> std::string {
    const Topology topology = new_topology();
    if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
        hwloc_topology_load(topology.get()) != 0)
      return {};
    const Source source{Origin::user,
                        "the synthetic description (hwloc takes 1 GB where it says nothing)"};
    return build_recorded(topology.get(), description, source, description).to_json();
  };
  const std::string json = run_isolated(read, description, "hwloc cannot take this description",
                                        "describe a smaller machine, like 'pack:2 core:4 pu:2'");
  if (json.empty()) return std::nullopt;
  return Machine::from_json(json, description);
}

}  // namespace detail

Machine Machine::this_computer() {
  constexpr std::string_view kName = "this computer";
  const detail::Topology topology = detail::new_topology();
  if (hwloc_topology_load(topology.get()) != 0)
    throw Error::failed(kName, "hwloc cannot read its topology", "try lstopo");
  const Source source{Origin::firmware, "the system's memory of the NUMA node, through hwloc"};
  // HWLOC_XMLFILE and the like let hwloc show another machine.
  if (hwloc_topology_is_thissystem(topology.get()) == 0)
    return detail::build_recorded(topology.get(), std::string(kName), source, kName);
  detail::Hwloc hwloc;
  hwloc.topology = topology.get();
  hwloc.may_run_on = [&](int pu) {
    return detail::affinity_at_first().contains(pu) &&
           hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology.get()),
                              static_cast<unsigned>(pu)) != 0;
  };
  const std::vector<int> allowed =
      detail::numbers_in(detail::first_line_with("/proc/self/status", "Mems_allowed_list:"));
  hwloc.may_allocate_on = [&](NodeId node) {
    return hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology.get()), node.value) !=
               0 &&
           (allowed.empty() || std::find(allowed.begin(), allowed.end(),
                                         static_cast<int>(node.value)) != allowed.end());
  };
  return detail::build(hwloc, std::string(kName), source, true, kName);
}

}  // namespace Atoll
