#include "recording/pages/memory_policy.hpp"

#include <linux/mempolicy.h>

#include <algorithm>
#include <tuple>

namespace Atoll::recording {
namespace {

constexpr std::uint64_t kPreferredMany = 5, kWeightedInterleave = 6;

}  // namespace

std::optional<std::uint16_t> position_of(std::span<const NodeId> memories, std::uint64_t node) {
  for (std::size_t memory = 0; memory < memories.size(); ++memory)
    if (std::uint64_t{memories[memory].value} == node) return static_cast<std::uint16_t>(memory);
  return std::nullopt;
}

PagePolicy asked_by(std::uint64_t mode, std::span<const std::uint64_t> nodes,
                    std::span<const NodeId> memories) {
  PagePolicy asked;
  asked.mode = mode & kPolicyModes;
  for (std::size_t word = 0; word < nodes.size(); ++word)
    for (int bit = 0; bit < 64; ++bit)
      if ((nodes[word] >> bit & 1U) != 0)
        if (const auto memory = position_of(memories, word * 64 + static_cast<unsigned>(bit));
            memory)
          asked.memories.push_back(*memory);
  if (asked.mode == MPOL_INTERLEAVE || asked.mode == kWeightedInterleave)
    asked.how = PagePolicy::How::in_turn;
  else if (asked.mode == MPOL_BIND)
    asked.how = PagePolicy::How::only;
  else if (asked.mode == MPOL_PREFERRED)
    asked.how = asked.memories.empty() ? PagePolicy::How::own : PagePolicy::How::first;
  else if (asked.mode == kPreferredMany)
    asked.how = asked.memories.empty() ? PagePolicy::How::own : PagePolicy::How::nearest;
  else if (asked.mode == MPOL_LOCAL)
    asked.how = PagePolicy::How::own;
  return asked;
}

std::vector<std::uint16_t> nearest_first(const Machine& machine, NodeId node,
                                         std::span<const NodeId> memories) {
  std::vector<std::tuple<double, double, std::uint16_t>> by_distance;
  for (std::uint16_t memory = 0; memory < memories.size(); ++memory) {
    const NodeId its = memories[memory];
    const bool has_processors =
        std::ranges::find(machine.initiators(), its) != machine.initiators().end();
    const Link& link = machine.link(node, its);
    by_distance.emplace_back(its == node ? 0 : link.distance + has_processors + (its < node),
                             link.latency_ns.value, memory);
  }
  std::ranges::sort(by_distance);
  std::vector<std::uint16_t> near;
  for (const auto& [distance, latency, memory] : by_distance) near.push_back(memory);
  return near;
}

std::optional<std::uint16_t> memory_for_page(const PagePolicy& asked, std::uint64_t page,
                                             std::uint16_t own,
                                             std::span<const std::uint16_t> near) {
  if (asked.how == PagePolicy::How::nothing) return std::nullopt;
  if (asked.how == PagePolicy::How::own || asked.memories.empty()) return own;
  if (asked.how == PagePolicy::How::first) return asked.memories.front();
  // Linux interleaves by the page's address, so adjacent mappings continue the sequence.
  if (asked.how == PagePolicy::How::in_turn) return asked.memories[page % asked.memories.size()];
  for (const std::uint16_t memory : near)
    if (std::ranges::find(asked.memories, memory) != asked.memories.end()) return memory;
  return asked.memories.front();
}

}  // namespace Atoll::recording
