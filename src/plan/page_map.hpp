// The node of each page of an object. Arrays, footprints, `apply`, `profile` and `simulate` all use
// this map, so a layout or a plan has the same meaning in all of them. docs/plan-file.md describes
// the rule for users.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/plan/layout.hpp"
#include "atoll/plan/program_plan.hpp"
#include "plan/page_bounds.hpp"

namespace Atoll::detail {

/// Maps pages to nodes, for an object of any number of pages. The map has either runs, scaled to
/// the object and rounded to the nearest page, or granules round robin. With neither, the system
/// places each page.
struct PageMap {
  struct Run {
    std::uint64_t end = 0;       ///< in units; ascending
    std::optional<NodeId> node;  ///< not set: the system's choice
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> runs;
  std::uint64_t units = 1;       ///< size of the whole object, in the unit of the runs' ends
  std::vector<NodeId> turns;     ///< if not empty, granule i is on turns[i mod turns.size()]
  std::uint64_t granule = 1;     ///< in pages
  std::uint64_t max_pieces = 0;  ///< limit of granules, which grow to meet it; 0: no limit
  PageSize page_size = PageSize::small;  ///< the preferred page size

  /// Returns the node of page `page` of an object of `pages` pages; not set: the system's choice.
  [[nodiscard]] std::optional<NodeId> node_of(std::uint64_t page, std::uint64_t pages) const;
  /// True if pages `first` to `last` are in one run or granule.
  [[nodiscard]] bool is_one_piece(std::uint64_t first, std::uint64_t last,
                                  std::uint64_t pages) const;
  /// Returns (node, pages), ascending by node, of an object of `pages` pages. Pages that the system
  /// places are left out.
  [[nodiscard]] std::vector<std::pair<NodeId, std::uint64_t>> counts(std::uint64_t pages) const;
  /// True if single pages are round robin over distinct nodes, like Linux's interleave policy.
  [[nodiscard]] bool is_interleaved() const;

 private:
  /// Returns the number of the page's run or granule.
  [[nodiscard]] std::uint64_t piece_of(std::uint64_t page, std::uint64_t pages) const;
};

/// Returns the map of an array of `elements` elements of `element_bytes` bytes, in pages of the
/// layout's size. Bounds of parts are the elements' bytes, rounded to the nearest page. For
/// Replicated it is the map of the first copy.
[[nodiscard]] PageMap page_map(const Layout& layout, std::uint64_t elements,
                               std::uint64_t element_bytes);

/// Returns the map of a program's object, in base pages. Runs and parts are scaled from the planned
/// object to the actual number of pages, since a plan has no elements. A replicated object is
/// distributed over its nodes page by page: an unmodified program has only one copy.
[[nodiscard]] PageMap page_map(const PlannedObject& object);
/// Returns the map on a machine. Runs on nodes that the machine doesn't have are left to the
/// system, and granules are distributed over the remaining nodes.
[[nodiscard]] PageMap page_map(const PlannedObject& object, const Machine& machine);

/// Returns the ends of the parts of `elements` elements: `parts.ends`, or those of equal parts.
[[nodiscard]] std::vector<std::uint64_t> ends_of(const Partitioned& parts, std::uint64_t elements);

}  // namespace Atoll::detail
