// Describes this computer. Only processing units and memories that this process may use are
// included, as of the first call. A Team pins the calling thread later, which must not shrink the
// machine.
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "base/environment.hpp"
#include "machine/hwloc_read.hpp"
#include "machine/node_set.hpp"
#include "machine/system_memory.hpp"

namespace Atoll {
namespace detail {
namespace {

constexpr std::string_view kName = "this computer";

std::string first_line_with(const std::string& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(key);
    if (at != std::string::npos) return line.substr(at + key.size());
  }
  return {};
}

/// Parses a list like "0-3,6"; returns no numbers if `text` isn't one.
std::vector<int> numbers_in(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
  if (text.empty()) return {};
  try {
    return parse_numbers(text, kName, 65535);
  } catch (const Error&) {
    return {};
  }
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

Machine described_by(hwloc_topology_t topology) {
  const hwloc_const_bitmap_t units = hwloc_topology_get_allowed_cpuset(topology);
  const hwloc_const_bitmap_t nodes = hwloc_topology_get_allowed_nodeset(topology);
  const std::vector<int> allowed =
      numbers_in(first_line_with("/proc/self/status", "Mems_allowed_list:"));
  Hwloc hwloc;
  hwloc.topology = topology;
  hwloc.may_run_on = [&](int pu) {
    return affinity_at_first().contains(pu) &&
           hwloc_bitmap_isset(units, static_cast<unsigned>(pu)) != 0;
  };
  hwloc.may_allocate_on = [&](NodeId node) {
    return hwloc_bitmap_isset(nodes, node.value) != 0 &&
           (allowed.empty() || std::find(allowed.begin(), allowed.end(),
                                         static_cast<int>(node.value)) != allowed.end());
  };
  hwloc.node_of_pu = listed_initiators(topology, "");
  const Source source{Origin::firmware, "the system's memory of the NUMA node, through hwloc"};
  return build_machine(
      hwloc, std::string(kName), source,
      [](Machine::Data& data) { set_free_bytes(data, SystemMemory()); }, kName);
}

/// Describes the machine that hwloc shows instead of this computer, from an XML file or from files
/// below HWLOC_FSROOT.
Machine shown_by_hwloc(hwloc_topology_t topology) {
  const char* root = environment_variable("HWLOC_FSROOT");
  const char* xml = environment_variable("HWLOC_XMLFILE");
  const bool has_files = root != nullptr && *root != '\0' && xml == nullptr;
  std::map<int, NodeId> listed;
  if (has_files) listed = listed_initiators(topology, root);
  if (listed.empty())
    if (const std::string lost = lost_initiators(topology); !lost.empty()) note(lost);
  return build_recorded(topology, std::string(kName),
                        {Origin::firmware, "the system's memory of the NUMA node, through hwloc"},
                        kName, std::move(listed));
}

/// Describes this computer without hwloc: the processing units that this process may run on, and
/// the system's memory as a single node.
Machine machine_without_hwloc(std::string_view why) {
  std::set<int> units = affinity_at_first();
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  for (int unit = 0; affinity_at_first().empty() && unit < std::max(online, 1L); ++unit)
    units.insert(unit);
  const auto bytes = static_cast<std::uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L)) *
                     static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const Topology topology = new_topology();
  const std::string synthetic = fmt::format("numa:1(memory={}) pu:{}(indexes={})", bytes,
                                            units.size(), fmt::join(units, ","));
  if (hwloc_topology_set_synthetic(topology.get(), synthetic.c_str()) != 0 ||
      hwloc_topology_load(topology.get()) != 0)
    throw Error::failed(kName, "hwloc cannot read its topology", "try lstopo");
  Hwloc hwloc;
  hwloc.topology = topology.get();
  hwloc.may_run_on = [](int) { return true; };
  hwloc.may_allocate_on = [](NodeId) { return true; };
  const auto prepare = [&](Machine::Data& data) {
    data.about =
        fmt::format("Only processing units and memory: hwloc's description isn't usable ({})", why);
    set_free_bytes(data, SystemMemory());
  };
  return build_machine(hwloc, std::string(kName),
                       {Origin::firmware, "the system's memory (sysconf)"}, prepare, kName);
}

}  // namespace
}  // namespace detail

Machine Machine::this_computer() {
  const detail::Topology topology = detail::new_topology();
  if (hwloc_topology_load(topology.get()) != 0)
    return detail::machine_without_hwloc("it cannot be read");
  // HWLOC_XMLFILE and similar variables make hwloc show another machine.
  if (hwloc_topology_is_thissystem(topology.get()) == 0)
    return detail::shown_by_hwloc(topology.get());
  try {
    return detail::described_by(topology.get());
  } catch (const Error& error) {
    return detail::machine_without_hwloc(error.what());
  }
}

}  // namespace Atoll
