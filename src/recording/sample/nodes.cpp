#include "recording/sample/nodes.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include "atoll/recording/recording.hpp"
#include "base/number_list.hpp"
#include "recording/sample/first_line.hpp"

namespace Atoll::recording::sample {
namespace {

/// Returns the value of a line such as "Node 0 MemFree:   123 kB".
std::uint64_t kilobytes(const std::filesystem::path& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string word; file >> word;)
    if (std::uint64_t value = 0; word == name + ":" && file >> value) return value;
  return 0;
}

}  // namespace

Nodes::Nodes(const std::filesystem::path& root)
    : root_(root / "sys/devices/system/node"), memory_(root) {
  for (const int node : parse_number_list(first_line(root_ / "has_memory").value_or(""))) {
    end_ = std::max(end_, node + 1);
    ++count_;
  }
  for (const int node : parse_number_list(first_line(root_ / "online").value_or("")))
    for (const int cpu : parse_number_list(
             first_line(root_ / ("node" + std::to_string(node)) / "cpulist").value_or(""))) {
      if (static_cast<std::size_t>(cpu) >= of_unit_.size())
        of_unit_.resize(static_cast<std::size_t>(cpu) + 1, -1);
      of_unit_[static_cast<std::size_t>(cpu)] = node < end_ ? node : -1;
    }
}

std::vector<std::uint64_t> Nodes::room() const {
  std::vector<std::uint64_t> room(static_cast<std::size_t>(end_), 0);
  // Moved pages do not change the total over all nodes, or of the cgroups, so only the nodes'
  // limits apply.
  for (const auto& [node, bytes] : memory_.available(PageSize::small).bytes_by_node) {
    if (node.value >= room.size()) continue;
    const auto file = root_ / ("node" + std::to_string(node.value)) / "meminfo";
    const std::uint64_t reserve = kilobytes(file, "MemTotal") * 1024 / 16;
    room[node.value] = bytes > reserve ? (bytes - reserve) / kPageBytes : 0;
  }
  return room;
}

}  // namespace Atoll::recording::sample
