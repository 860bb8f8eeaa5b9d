// The memory that a policy of Linux gives a page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "atoll/machine/machine.hpp"

namespace Atoll::trace {

/// A memory policy in terms of a machine's memories, which are positions in a list.
struct Asked {
  enum class How : std::uint8_t {
    nothing,
    own,      ///< the nearest memory of the thread that touches the page first
    first,    ///< the first of `memories`, or one near it if that is full
    nearest,  ///< of `memories`, the nearest to the thread that touches the page first
    only,     ///< the same, and no other memory
    in_turn   ///< by address
  };
  How how = How::nothing;
  std::vector<std::uint16_t> memories;  ///< those named, in order
  std::uint64_t mode = 0;               ///< as the program named it
};

/// Returns the position of a node's memory; nothing: it has none.
[[nodiscard]] std::optional<std::uint16_t> position_of(std::span<const NodeId> memories,
                                                       std::uint64_t node);
/// `nodes`: a mask; bit i % 64 of word i / 64 is node i. Nodes that aren't in `memories` are left
/// out.
[[nodiscard]] Asked asked_by(std::uint64_t mode, std::span<const std::uint64_t> nodes,
                             std::span<const NodeId> memories);
/// Returns the memories as Linux tries them for a thread on `node`: by distance; of equal ones
/// first memories without processors and nodes behind this one. A machine without distances has
/// latencies.
[[nodiscard]] std::vector<std::uint16_t> nearest_first(const Machine& machine, NodeId node,
                                                       std::span<const NodeId> memories);
/// Returns the memory that the policy gives a page, or nothing if it leaves that to others. `page`:
/// the page's address / its size. `near`: as nearest_first() returns them for the thread's node,
/// whose own memory is `own`.
[[nodiscard]] std::optional<std::uint16_t> wanted_by(const Asked& asked, std::uint64_t page,
                                                     std::uint16_t own,
                                                     std::span<const std::uint16_t> near);

}  // namespace Atoll::trace
