// The nodes that a user names as fast memory.
#include "stencil/stream/fast_nodes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "atoll/base/error.hpp"
#include "base/number_list.hpp"

namespace Atoll::stencil {

FastNodes fast_nodes(const Machine& machine, std::string_view text) {
  FastNodes nodes;
  if (!text.empty() && text.find_first_not_of("0123456789,-") == text.npos) {
    for (const int number : parse_number_list(text)) {
      const NodeId node{static_cast<std::uint32_t>(number)};
      if (!machine.has_memory(node))
        throw Error::input("--fast", fmt::format("this computer has no memory on node {}", number),
                           "see 'atoll machine'");
      nodes.fast.push_back(node);
    }
  } else {
    for (const MemoryNode& memory : machine.memories())
      if (memory.tier == text) nodes.fast.push_back(memory.id);
  }
  if (nodes.fast.empty()) {
    std::set<std::string> tiers;
    for (const MemoryNode& memory : machine.memories()) tiers.insert(memory.tier);
    throw Error::input(
        "--fast", fmt::format("this computer has no '{}' memory", text),
        fmt::format("give nodes such as 2-3, or a tier: {}", fmt::join(tiers, ", ")));
  }
  for (const MemoryNode& memory : machine.memories())
    if (std::ranges::find(nodes.fast, memory.id) == nodes.fast.end())
      nodes.slow.push_back(memory.id);
  if (nodes.slow.empty()) nodes.slow = nodes.fast;
  return nodes;
}

}  // namespace Atoll::stencil
