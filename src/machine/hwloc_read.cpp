// Builds machines from topologies, and loads topologies from XML files and synthetic descriptions.
#include "machine/hwloc_read.hpp"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "machine/check.hpp"
#include "machine/isolate.hpp"
#include "machine/machine_file.hpp"
#include "machine/place_tree.hpp"

namespace Atoll::detail {
namespace {

/// Returns the product names of the machine and its CPU, converted to printable ASCII.
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

/// Returns the line size of the innermost cache that has one; 64 if none has.
std::uint64_t line_bytes_of(hwloc_topology_t topology) {
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
    const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
    if (cache != nullptr && is_line_size(cache->attr->cache.linesize))
      return cache->attr->cache.linesize;
  }
  return CacheFigures{}.line_bytes;
}

/// Removes hwloc's environment variables in a privileged program. hwloc reads them by getenv(),
/// including HWLOC_PLUGINS_PATH, a folder from which it loads libraries.
void forget_variables_of_hwloc() {
  if (::getauxval(AT_SECURE) == 0) return;
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("HWLOC_")) names.emplace_back(text.substr(0, text.find('=')));
  }
  for (const std::string& name : names) ::unsetenv(name.c_str());
}

}  // namespace

Topology new_topology() {
  forget_variables_of_hwloc();
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error::failed("hwloc", "cannot begin a topology");
  Topology owned(topology);
  // Loads the whole machine, so that the node of a processing unit is known even if its memory
  // isn't allowed. The allowed parts are selected later.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  // By default, hwloc omits memory-side caches.
  hwloc_topology_set_type_filter(topology, HWLOC_OBJ_MEMCACHE, HWLOC_TYPE_FILTER_KEEP_ALL);
  return owned;
}

std::uint64_t or_unknown(std::uint64_t bytes) {
  return bytes > kMaxBytes ? 0 : bytes;
}

Machine build_machine(Hwloc& hwloc, std::string name, const Source& capacity_source,
                      const std::function<void(Machine::Data&)>& prepare, std::string_view where) {
  hwloc_obj_t object = nullptr;
  while ((object = hwloc_get_next_obj_by_type(hwloc.topology, HWLOC_OBJ_NUMANODE, object)) !=
         nullptr) {
    hwloc.nodes[node_id(object)] = object;
    hwloc.has_capacities = hwloc.has_capacities || object->attr->numanode.local_memory > 0;
  }
  hwloc.node_of_pu.merge(initiators_by_locality(hwloc.topology));  // existing ones take precedence

  Machine::Data data;
  data.name = std::move(name);
  data.about = described(hwloc.topology);
  data.root = build_places(hwloc);
  data.processors = list_processors(
      data.root, [&](const Place& pu, const Path&) { return hwloc.node_of_pu[pu.os_index]; });
  data.caches = caches_of(data.root);
  data.caches.line_bytes = line_bytes_of(hwloc.topology);
  walk(data.root, [&](const Place& place, const Path&) {
    for (const NodeId node : place.memories) {
      MemoryNode memory;
      memory.id = node;
      memory.capacity_bytes = or_unknown(hwloc.nodes[node]->attr->numanode.local_memory);
      if (memory.capacity_bytes > 0) memory.source = capacity_source;
      data.memories.push_back(memory);
    }
  });
  std::sort(data.memories.begin(), data.memories.end(),
            [](const MemoryNode& a, const MemoryNode& b) { return a.id < b.id; });
  if (data.processors.empty() || data.memories.empty())
    throw Error::input(where, data.processors.empty() ? "no processing units" : "no memory",
                       "describe at least one of each, as in 'numa:2(memory=1GB) core:4 pu:2'");
  for (const MemoryNode& memory : data.memories)
    if (auto cache =
            memory_side_of(hwloc.nodes[memory.id], data.caches.line_bytes, memory.capacity_bytes))
      data.hardware.memory_side_caches.push_back(std::move(*cache));
  prepare(data);
  build_links(hwloc, data);
  return {std::move(data), where};
}

Machine build_recorded(hwloc_topology_t topology, std::string name, const Source& capacity_source,
                       std::string_view where, std::map<int, NodeId> node_of_pu) {
  Hwloc hwloc;
  hwloc.topology = topology;
  hwloc.node_of_pu = std::move(node_of_pu);
  hwloc.may_run_on = [=](int pu) {
    return hwloc_bitmap_isset(hwloc_topology_get_allowed_cpuset(topology),
                              static_cast<unsigned>(pu)) != 0;
  };
  hwloc.may_allocate_on = [=](NodeId node) {
    return hwloc_bitmap_isset(hwloc_topology_get_allowed_nodeset(topology), node.value) != 0;
  };
  return build_machine(
      hwloc, std::move(name), capacity_source, [](Machine::Data&) {}, where);
}

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
    const Machine machine = build_recorded(
        topology.get(),
        std::string(slash == std::string_view::npos ? where : where.substr(slash + 1)), source,
        where);
    return lost_initiators(topology.get()) + "\n" + machine.to_json();
  };
  const std::string read_back = run_isolated(read, where, kWrong, kWayOut);
  const std::size_t end = read_back.find('\n');
  if (end > 0) note(fmt::format("{}: {}", where, read_back.substr(0, end)));
  return Machine::from_json(read_back.substr(end + 1), where);
}

namespace {

/// Returns the product of the counts: 16 for 'pack:2 [numa(memory=1GB)] core:4 pu:2'.
double units_of(const std::string& description) {
  double product = 1;
  int inside = 0;  // depth of brackets, which contain memories and attributes
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
  // hwloc takes minutes for larger descriptions.
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

}  // namespace Atoll::detail
