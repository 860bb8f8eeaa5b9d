// The node of each page of an object. Arrays, footprints, `apply`, `profile` and `simulate` ask
// here, so that a layout or a plan means the same pages to all of them. docs/plan-file.md has the
// rule for people.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "atoll/plan/layout.hpp"
#include "atoll/plan/program_plan.hpp"
#include "plan/page_bounds.hpp"

namespace Atoll::detail {

/// Maps pages to nodes, for an object of any number of pages: either runs, scaled to the object and
/// rounded to the nearest page, or granules in turn. With neither, each page is where the system
/// puts it.
struct PageMap {
  struct Run {
    std::uint64_t end = 0;       ///< in units; ascending
    std::optional<NodeId> node;  ///< not set: the system's choice
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> runs;
  std::uint64_t units = 1;       ///< of the whole object, in which the runs' ends count
  std::vector<NodeId> turns;     ///< if not empty, granule i is on turns[i mod turns.size()]
  std::uint64_t granule = 1;     ///< in pages
  std::uint64_t max_pieces = 0;  ///< granules grow until there are no more; 0 means no limit
  PageSize page_size = PageSize::small;  ///< the size of pages that is wished

  /// Node of page `page` of an object of `pages` pages; not set: the system's choice.
  [[nodiscard]] std::optional<NodeId> node_of(std::uint64_t page, std::uint64_t pages) const;
  /// True if pages `first` to `last` are of one run or granule.
  [[nodiscard]] bool is_one_piece(std::uint64_t first, std::uint64_t last,
                                  std::uint64_t pages) const;
  /// Pages by node, ascending, of an object of `pages` pages. Pages that the system places are left
  /// out.
  [[nodiscard]] std::vector<std::pair<NodeId, std::uint64_t>> counts(std::uint64_t pages) const;
  /// True if pages go round distinct nodes one by one: an interleave policy of the system does
  /// that.
  [[nodiscard]] bool is_interleaved() const;

 private:
  /// Number of the page's run or granule.
  [[nodiscard]] std::uint64_t piece_of(std::uint64_t page, std::uint64_t pages) const;
};

/// Map of an array of `elements` elements of `element_bytes` bytes, in pages of the layout's size.
/// Bounds of parts are the elements' bytes, rounded to the nearest page. For Replicated it is the
/// map of the first copy.
[[nodiscard]] PageMap page_map(const Layout& layout, std::uint64_t elements,
                               std::uint64_t element_bytes);

/// Map of a program's object, in base pages. Runs are shares of the planned object: they are scaled
/// to the pages that the object has, and so are parts, as a plan knows no elements. Pages of a
/// replicated object go round its nodes: a program that doesn't know of copies can only have one.
[[nodiscard]] PageMap page_map(const PlannedObject& object);
/// The same on a machine: the system places what is planned for nodes that the machine doesn't
/// have, and granules go round the others.
[[nodiscard]] PageMap page_map(const PlannedObject& object, const Machine& machine);

/// Ends of the parts of `elements` elements: those given, or those of equal parts.
[[nodiscard]] std::vector<std::uint64_t> ends_of(const Partitioned& parts, std::uint64_t elements);

}  // namespace Atoll::detail
