// Interface to the operating system's memory. All placement is built on its few operations. There
// are three backends: Linux, portable (no NUMA calls: one node), and a fake for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "atoll/base/page_size.hpp"
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

/// Contract: ranges are whole pages of one reservation. All functions may be called from any
/// thread, concurrently on disjoint ranges. Failures throw Error (failed). Functions take several
/// ranges per call, because a placement whose node changes from page to page would otherwise need
/// one call per page.
class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Returns the memory available in pages of this size.
  [[nodiscard]] virtual Available available(PageSize pages) const = 0;

  /// Reserves address space without allocating memory. It is aligned to the page size, and to 2 MiB
  /// from that size on. Transparent huge pages are best effort: if they aren't allowed, the range
  /// gets small pages and a note() reports it. `small` prevents huge pages. Pages of a pool are
  /// reserved for this range, on any nodes, so that none can be missing later; throws if the pool
  /// has too few.
  [[nodiscard]] virtual std::byte* reserve(std::size_t bytes, PageSize pages) = 0;
  virtual void release(std::byte* data, std::size_t bytes) noexcept = 0;

  /// Maps and zeroes every page that isn't mapped yet, on `node` as long as it has memory. If it
  /// has none left, or `node` is kNowhere, the system chooses the node. As long as any node has
  /// memory, the call returns, and the OOM killer isn't invoked.
  virtual void populate(std::span<const Range> ranges, NodeId node) = 0;
  /// Moves pages from other nodes to `node` as long as it has memory, and reclaims file cache there
  /// for them. The remaining pages stay where they are. Doesn't invoke the OOM killer.
  virtual void migrate(std::span<const Range> ranges, NodeId node) = 0;
  /// Frees the pages; the address space stays reserved.
  virtual void discard(std::span<const Range> ranges) = 0;
  /// Prevents the system (NUMA balancing) from moving the range's pages. `nodes` are those of the
  /// placement, used for pages that are swapped in.
  virtual void prevent_migration(Range range, std::span<const NodeId> nodes) = 0;
  /// Writes the node of each base page (4 KiB), range after range; `nodes.size()` is the total
  /// number of bytes / 4096. A page that isn't mapped gives kNowhere and isn't mapped by the call.
  virtual void locate(std::span<const Range> ranges, std::span<NodeId> nodes) const = 0;
};

inline constexpr NodeId kNowhere{UINT32_MAX};
/// Size in bytes of the units of a reservation: base pages, which may become transparent huge
/// pages, or whole pages of a pool.
[[nodiscard]] constexpr std::size_t unit_bytes(PageSize pages) {
  return from_pool(pages) ? page_bytes(pages) : kPageBytes;
}

/// Returns Linux's backend, or the portable one if Atoll was built without NUMA calls or this
/// process may not make them (containers often forbid them; a note() reports it).
[[nodiscard]] Backend& system_backend();
/// Returns the backend that uses plain anonymous memory and reports it on node 0.
[[nodiscard]] Backend& portable_backend();
/// Returns the backend named "linux" or "portable". Throws Error (input) for another name, or a
/// backend that wasn't built.
[[nodiscard]] Backend& backend_by_name(std::string_view name);

}  // namespace Atoll::memory
