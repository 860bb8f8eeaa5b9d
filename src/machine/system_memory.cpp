// Reads the system's files. Each figure is read anew, because limits change, and a virtual
// machine's memory can grow and shrink at run time.
#include "machine/system_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/base/units.hpp"
#include "base/number_list.hpp"
#include "machine/check.hpp"

namespace Atoll::detail {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kBasePage = page_bytes(PageSize::small);

using Figures = std::map<std::string, std::uint64_t, std::less<>>;

/// Parses lines such as "MemFree:   123 kB", "Node 0 MemFree: 123 kB" and "inactive_file 123".
/// Returns bytes by name.
Figures read_figures(const fs::path& path) {
  Figures figures;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name, unit;
    std::uint64_t value = 0;
    if (line.starts_with("Node ")) words >> name >> name;
    if (!(words >> name >> value)) continue;
    if (name.ends_with(':')) name.pop_back();
    figures[name] = words >> unit && unit == "kB" ? value * kKiB : value;
  }
  return figures;
}

std::uint64_t figure(const Figures& figures, std::string_view name) {
  const auto found = figures.find(name);
  return found == figures.end() ? 0 : found->second;
}

/// Reads a file with one number. Returns std::nullopt for "max", for other text, or without a file.
std::optional<std::uint64_t> read_number(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (!(file >> value)) return {};
  return value;
}

std::uint64_t minus(std::uint64_t a, std::uint64_t b) {
  return a > b ? a - b : 0;
}

/// Returns the reclaimable part of the file cache. The smaller of half the cache and `reserve` is
/// kept, as in the kernel's MemAvailable.
std::uint64_t reclaimable(std::uint64_t file_cache, std::uint64_t reserve) {
  return file_cache - std::min(file_cache / 2, reserve);
}

/// Parses a kernel's node list such as "0-3,6".
std::vector<NodeId> nodes_of_list(std::string_view text) {
  std::vector<NodeId> nodes;
  for (const int node : parse_number_list(text))
    nodes.push_back(NodeId{static_cast<std::uint32_t>(node)});
  return nodes;
}

std::vector<NodeId> allowed_nodes(const fs::path& root) {
  static constexpr std::string_view kName = "Mems_allowed_list:";
  std::ifstream file(root / "proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kName)) {
      const std::size_t list = line.find_first_not_of(" \t", kName.size());
      return list == std::string::npos ? std::vector<NodeId>{}
                                       : nodes_of_list(std::string_view(line).substr(list));
    }
  return {};
}

fs::path node_folder(const fs::path& root, NodeId node) {
  return root / "sys/devices/system/node" / ("node" + std::to_string(node.value));
}

/// Returns the high watermark of each node, in bytes. Below it, the kernel reclaims in the
/// background, and only allocations that can't wait use the remaining memory.
std::map<NodeId, std::uint64_t> read_reserves(const fs::path& root) {
  std::map<NodeId, std::uint64_t> reserves;
  std::ifstream file(root / "proc/zoneinfo");
  NodeId node;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t value = 0;
    words >> name >> value;
    if (!words) continue;
    if (name == "Node") node.value = static_cast<std::uint32_t>(value);
    if (name == "high") reserves[node] += value * kBasePage;
  }
  return reserves;
}

/// True if a list such as "cpu,memory,pids" contains the controller.
bool lists(std::string_view names, std::string_view controller) {
  for (const auto name : std::views::split(names, ','))
    if (std::ranges::equal(name, controller)) return true;
  return false;
}

/// The mount point of a cgroup hierarchy, and the mounted part of the hierarchy.
struct Mount {
  fs::path point;
  std::string root;
};

/// For `version` 1, finds the hierarchy with the controller.
std::optional<Mount> find_mount(const fs::path& root, int version, std::string_view controller) {
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream before(line.substr(0, separator)), after(line.substr(separator + 3));
    std::string skip, part, point, type, source, options;
    before >> skip >> skip >> skip >> part >> point;
    after >> type >> source >> options;
    if (version == 2 ? type == "cgroup2" : type == "cgroup" && lists(options, controller))
      return Mount{root / fs::path(point).relative_path(), part};
  }
  return {};
}

/// Returns this process's cgroup from /proc/self/cgroup ("0::/a/b", "4:memory:/a/b").
std::optional<std::string> find_group(const fs::path& root, int version,
                                      std::string_view controller) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (version == 2 ? controllers.empty() : lists(controllers, controller))
      return line.substr(second + 1);
  }
  return {};
}

/// Returns the bytes of a pool's pages that one cgroup still allows. The names of its files contain
/// "2MB" or "1GB".
std::uint64_t pool_left_in_group(const fs::path& group, int version, PageSize pages) {
  const std::string pool = pages == PageSize::pool_1g ? "hugetlb.1GB" : "hugetlb.2MB";
  std::uint64_t left = UINT64_MAX;
  for (const std::string& kind : {pool, pool + ".rsvd"}) {
    const auto limit = read_number(group / (kind + (version == 2 ? ".max" : ".limit_in_bytes")));
    const auto used = read_number(group / (kind + (version == 2 ? ".current" : ".usage_in_bytes")));
    if (limit && used) left = std::min(left, minus(*limit, *used));
  }
  return left;
}

/// Returns the bytes that one cgroup still allows.
std::uint64_t left_in_group(const fs::path& group, int version) {
  std::optional<std::uint64_t> limit, used;
  const char* file_cache[2];
  if (version == 2) {
    limit = read_number(group / "memory.max");
    // Above `memory.high` no process is killed, but all processes in the group are throttled.
    if (const auto high = read_number(group / "memory.high"))
      limit = std::min(*high, limit.value_or(UINT64_MAX));
    used = read_number(group / "memory.current");
    file_cache[0] = "active_file", file_cache[1] = "inactive_file";
  } else {
    limit = read_number(group / "memory.limit_in_bytes");
    used = read_number(group / "memory.usage_in_bytes");
    file_cache[0] = "total_active_file", file_cache[1] = "total_inactive_file";
  }
  if (!limit || !used || *limit >= UINT64_MAX / 4)
    return UINT64_MAX;  // version 1 reports about 2^63 for no limit
  const Figures stat = read_figures(group / "memory.stat");
  const std::uint64_t cache = figure(stat, file_cache[0]) + figure(stat, file_cache[1]);
  // Kernel memory is charged too, and each processor charges in batches.
  const std::uint64_t margin = std::max(*limit / 64, kMiB);
  return minus(*limit, minus(*used, reclaimable(cache, margin)) + margin);
}

std::uint64_t left_in_groups(const fs::path& root, int version, PageSize pages) {
  std::uint64_t left = UINT64_MAX;
  const std::string_view controller = from_pool(pages) ? "hugetlb" : "memory";
  const auto mount = find_mount(root, version, controller);
  const auto group = find_group(root, version, controller);
  if (!mount || !group) return left;
  // In a container, the path may be relative to the host's hierarchy, of which only a part is
  // mounted.
  std::string inside = *group;
  if (mount->root != "/")
    inside = inside.starts_with(mount->root) ? inside.substr(mount->root.size()) : "";
  fs::path path = fs::path(inside).lexically_normal().relative_path();
  for (;; path = path.parent_path()) {
    const fs::path here = mount->point / path;
    left = std::min(left, from_pool(pages) ? pool_left_in_group(here, version, pages)
                                           : left_in_group(here, version));
    if (path.empty()) return left;
  }
}

}  // namespace

SystemMemory::SystemMemory(fs::path root)
    : root_(std::move(root)), reserves_(read_reserves(root_)) {}

Available SystemMemory::available(PageSize pages) const {
  Available available = from_pool(pages) ? in_pool(pages) : outside_pools();
  available.cgroup_bytes =
      std::min(left_in_groups(root_, 1, pages), left_in_groups(root_, 2, pages));
  return available;
}

Available SystemMemory::in_pool(PageSize pages) const {
  const std::string pool =
      "hugepages/hugepages-" + std::to_string(page_bytes(pages) / kKiB) + "kB/free_hugepages";
  Available available;
  for (const NodeId node : allowed_nodes(root_)) {
    const auto free = read_number(node_folder(root_, node) / pool);
    if (!free) continue;
    available.bytes_by_node[node] = *free * page_bytes(pages);
    available.bytes_in_all += *free * page_bytes(pages);
  }
  return available;
}

Available SystemMemory::outside_pools() const {
  Available available;
  std::uint64_t in_nodes = 0;
  for (const NodeId node : allowed_nodes(root_)) {
    const Figures meminfo = read_figures(node_folder(root_, node) / "meminfo");
    if (figure(meminfo, "MemTotal") == 0) continue;  // a node without memory
    const auto found = reserves_.find(node);
    const std::uint64_t reserve = found == reserves_.end() ? 0 : found->second;
    const std::uint64_t cache = figure(meminfo, "Active(file)") + figure(meminfo, "Inactive(file)");
    const std::uint64_t left =
        minus(figure(meminfo, "MemFree") + reclaimable(cache, reserve), reserve);
    available.bytes_by_node[node] = left;
    in_nodes += left;
  }
  const Figures meminfo = read_figures(root_ / "proc/meminfo");
  // MemAvailable excludes the kernel's reserves. The margin is for other processes that continue to
  // allocate.
  const std::uint64_t margin = std::min(figure(meminfo, "MemTotal") / 64, kGiB);
  available.bytes_in_all = minus(figure(meminfo, "MemAvailable"), margin);
  if (meminfo.empty())  // not Linux
    available.bytes_in_all = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * kBasePage;
  if (available.bytes_by_node.empty())
    available.bytes_by_node[NodeId{0}] = available.bytes_in_all;
  else
    available.bytes_in_all = std::min(available.bytes_in_all, in_nodes);
  return available;
}

void set_free_bytes(Machine::Data& data, const SystemMemory& system) {
  const Available at_large = system.available(PageSize::small);
  const Available small_pool = system.available(PageSize::pool_2m);
  const Available great_pool = system.available(PageSize::pool_1g);
  std::uint64_t sum = 0;
  for (MemoryNode& memory : data.memories) {
    memory.free_bytes = at_large.on(memory.id);
    memory.free_2m_pages = small_pool.on(memory.id) / page_bytes(PageSize::pool_2m);
    memory.free_1g_pages = great_pool.on(memory.id) / page_bytes(PageSize::pool_1g);
    if (memory.capacity_bytes > 0) {
      memory.free_bytes = std::min(memory.capacity_bytes, *memory.free_bytes);
      // A container may see only a part of the memory, but all of the pools.
      if (pool_bytes(memory) > memory.capacity_bytes)
        memory.free_2m_pages = memory.free_1g_pages = 0;
    }
    sum += *memory.free_bytes;
  }
  if (at_large.in_all() < sum) data.free_bytes = at_large.in_all();
}

}  // namespace Atoll::detail
