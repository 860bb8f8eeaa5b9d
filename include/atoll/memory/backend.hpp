// The few operations that Atoll needs of a system's memory; all placement is built on them. There
// are three backends: Linux, portable (no NUMA calls: one node), and a fake for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "atoll/machine/available.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"

namespace Atoll::memory {

using Atoll::Available;

/// Whole pages of one reservation.
struct Range {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
};

/// Contract: ranges are whole pages of one reservation; all functions may be called from any
/// thread, on disjoint ranges at the same time; failures throw Error (failed). Functions take many
/// ranges at once, since a placement that changes node from page to page would otherwise cost a
/// call for each page.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// What is available in pages of this size.
  [[nodiscard]] virtual Available available(PageSize pages) const = 0;

  /// Reserves address space only, aligned to the page size, and to 2 MiB from that size on; it
  /// takes no memory yet. Transparent huge pages are a wish: if they aren't allowed, the range gets
  /// small ones, and a note() says so. Small ones are kept small. Pages of a pool are set aside for
  /// this range, on whichever nodes they are, so that none can be missing later; throws if there
  /// aren't enough.
  [[nodiscard]] virtual std::byte* reserve(std::size_t bytes, PageSize pages) = 0;
  virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;

  /// Maps every page that isn't mapped yet, zeroed, on `node` as long as it has memory, else (and
  /// for kNowhere) on whichever node the system takes. No process is killed as long as any node has
  /// memory: the call returns with the pages elsewhere.
  virtual void populate(std::span<const Range> ranges, NodeId node) = 0;
  /// Moves pages that are elsewhere to `node` as long as it has memory; its file cache is given up
  /// for them. The remaining pages stay where they are. No process is killed.
  virtual void migrate(std::span<const Range> ranges, NodeId node) = 0;
  /// Gives the pages back; the address space stays.
  virtual void discard(std::span<const Range> ranges) = 0;
  /// Tells the system to leave the range's pages where they are (NUMA balancing). `nodes` are those
  /// of the placement, for pages that come back from swap.
  virtual void settle(Range range, std::span<const NodeId> nodes) = 0;
  /// Writes the node of each base page (4 KiB), range after range; `nodes.size()` = bytes in all /
  /// 4096. A page that isn't mapped gives kNowhere, and stays unmapped.
  virtual void locate(std::span<const Range> ranges, std::span<NodeId> nodes) const = 0;
};

inline constexpr NodeId kNowhere{UINT32_MAX};
inline constexpr std::size_t kBasePageBytes = 4096;
/// The unit that a reservation consists of: base pages, which may become transparent huge ones, or
/// whole pages of a pool.
[[nodiscard]] constexpr std::size_t unit_bytes(PageSize pages) {
  return from_pool(pages) ? page_bytes(pages) : kBasePageBytes;
}

/// Returns Linux's backend. Returns the portable one if Atoll was built without NUMA calls or this
/// process may not make them (containers often forbid them; a note() says so).
[[nodiscard]] Backend& system_backend();
/// Returns the backend of plain anonymous memory, all on node 0.
[[nodiscard]] Backend& portable_backend();
/// Returns the backend called "linux" or "portable". Throws Error (input) for another name, or a
/// backend that wasn't built.
[[nodiscard]] Backend& backend_by_name(std::string_view name);

}  // namespace Atoll::memory
