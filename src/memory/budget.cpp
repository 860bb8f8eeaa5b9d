#include "atoll/memory/budget.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "memory/headroom.hpp"

namespace Atoll::memory {
namespace {

std::string names_of(const std::set<NodeId>& nodes) {
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (const NodeId node : nodes)
    text.append(node == *nodes.begin() ? "" : ", ").append(std::to_string(node.value));
  return text;
}

/// Returns 0 if the capacity of a memory is unknown.
std::uint64_t capacity_of(const Machine& machine, const std::set<NodeId>& nodes) {
  std::uint64_t bytes = 0;
  for (const NodeId node : nodes) {
    const std::uint64_t capacity = machine.memory(node).capacity_bytes;
    if (capacity == 0) return 0;
    bytes += capacity;
  }
  return bytes;
}

}  // namespace

std::uint64_t budget_bytes(const Machine& machine, const Backend& backend,
                           std::span<const NodeId> nodes, std::optional<std::uint64_t> asked,
                           PageSize pages) {
  std::set<NodeId> chosen(nodes.begin(), nodes.end());
  if (nodes.empty())
    for (const MemoryNode& memory : machine.memories()) chosen.insert(memory.id);
  const std::uint64_t capacity = capacity_of(machine, chosen);
  if (asked) {
    if (*asked == 0)
      throw Error::input("memory budget", "0 bytes hold no data", "give a size above 0");
    if (capacity > 0 && *asked > capacity)
      throw Error::input("memory budget",
                         format_bytes(*asked) + " are more than the " + format_bytes(capacity) +
                             " of " + names_of(chosen),
                         "give at most the memory that exists");
    return *asked;
  }
  const Available available = backend.available(pages);
  std::uint64_t left = 0;
  for (const NodeId node : chosen) left += available.on(node);
  left = std::min(left, available.in_all());
  if (!from_pool(pages)) left = without_page_tables(left);
  const std::uint64_t whole = left / unit_bytes(pages) * unit_bytes(pages);
  if (whole == 0)
    throw Error::memory("memory budget", "no memory is available on " + names_of(chosen),
                        "free memory, or name other nodes");
  return whole;
}

}  // namespace Atoll::memory
