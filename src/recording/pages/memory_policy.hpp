// Memory that a Linux memory policy selects for a page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::recording {

/// Bits of the mode of mbind() and set_mempolicy() without its flags.
inline constexpr std::uint64_t kPolicyModes = 0xff;

/// Memory policy in terms of a machine's memories, which are indices into a list.
struct PagePolicy {
  enum class How : std::uint8_t {
    nothing,
    own,      ///< the nearest memory of the first thread that touches the page
    first,    ///< the first of `memories`, or a near one if it is full
    nearest,  ///< the one of `memories` nearest to the first thread that touches the page
    only,     ///< like `nearest`, but no other memory
    in_turn   ///< interleaved by address
  };
  How how = How::nothing;
  std::vector<std::uint16_t> memories;  ///< indices of the policy's nodes, in order
  std::uint64_t mode = 0;               ///< without flags
};

/// Returns the index of a node's memory; nothing if it has none.
[[nodiscard]] std::optional<std::uint16_t> position_of(std::span<const NodeId> memories,
                                                       std::uint64_t node);
/// Converts a policy. `nodes` is a mask: bit i % 64 of word i / 64 is node i. Nodes that are not in
/// `memories` are ignored.
[[nodiscard]] PagePolicy asked_by(std::uint64_t mode, std::span<const std::uint64_t> nodes,
                                  std::span<const NodeId> memories);
/// Returns the memories in the order in which Linux tries them for a thread on `node`: by distance.
/// Equally distant memories without processors come first, then nodes after `node`. If the machine
/// has no distances, by latency.
[[nodiscard]] std::vector<std::uint16_t> nearest_first(const Machine& machine, NodeId node,
                                                       std::span<const NodeId> memories);
/// Returns the memory that the policy selects for a page; nothing if it selects none. `page` is the
/// page's address / its size. `near` is the result of nearest_first() for the thread's node, whose
/// own memory is `own`.
[[nodiscard]] std::optional<std::uint16_t> memory_for_page(const PagePolicy& asked,
                                                           std::uint64_t page, std::uint16_t own,
                                                           std::span<const std::uint16_t> near);

}  // namespace Atoll::recording
