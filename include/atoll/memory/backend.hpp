// The few things that Atoll asks of a system's memory; everything about placement stands on these.
// Three backends: Linux, portable (no NUMA calls: one node), and a fake for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll::memory {

/// What may still be taken without the system killing anyone for it.
struct Available {
  std::map<NodeId, std::uint64_t> bytes_by_node;  ///< free pages of each node, its reserve left out
  std::uint64_t bytes_in_all = 0;  ///< of the whole machine, what can be reclaimed included
  std::uint64_t cgroup_bytes = UINT64_MAX;  ///< what the memory cgroups still allow
};

/// Contract: ranges are whole pages of one reservation; all functions may be called from any
/// thread, on disjoint ranges at the same time; failures throw Error (failed).
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Available available() const = 0;

  /// Address space only, aligned to the page size; no memory yet. Huge pages are a wish: where they
  /// aren't allowed the range gets small ones, and a note() says so.
  [[nodiscard]] virtual std::byte* reserve(std::size_t bytes, PageSize pages) = 0;
  virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;

  /// Maps every page of the range that isn't mapped yet, zeroed, on `node` while it has memory,
  /// else on whichever node the system takes. Never kills for it: returns with the pages elsewhere.
  virtual void populate(std::byte* data, std::size_t bytes, NodeId node) = 0;
  /// Gives the range's pages back; the address space stays.
  virtual void discard(std::byte* data, std::size_t bytes) = 0;
  /// Tells the system to leave the range's pages where they are (NUMA balancing, khugepaged).
  virtual void settle(std::byte* data, std::size_t bytes, std::span<const NodeId> nodes) = 0;
  /// The node of each base page (4 KiB) of the range; `nodes.size()` = bytes / 4096. A page that
  /// isn't mapped gives kNowhere.
  virtual void locate(const std::byte* data, std::size_t bytes, std::span<NodeId> nodes) const = 0;
};

inline constexpr NodeId kNowhere{UINT32_MAX};
inline constexpr std::size_t kBasePageBytes = 4096;

/// The system's own backend, or the portable one where Atoll was built without NUMA calls.
[[nodiscard]] Backend& system_backend();
/// Plain anonymous memory, all on one node.
[[nodiscard]] Backend& portable_backend();
/// By name: "system", "linux" or "portable". Throws Error (input) for another, or one that wasn't
/// built.
[[nodiscard]] Backend& backend_by_name(std::string_view name);

}  // namespace Atoll::memory
