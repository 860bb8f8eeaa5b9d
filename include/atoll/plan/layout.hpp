// Placement of an array, as a value [shoal §3.2]: it can be printed, stored, compared, chosen by a
// policy and applied by `array`. It contains node numbers, so its meaning is unambiguous.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/machine/page_size.hpp"

namespace Atoll {

/// All pages on one node.
struct SingleNode {
  NodeId node;
  friend bool operator==(const SingleNode&, const SingleNode&) = default;
};

/// Granule i on nodes[i mod nodes.size()]. A node that is listed twice gets twice as many.
struct Distributed {
  std::vector<NodeId> nodes;
  std::uint64_t granule_bytes = 4096;  ///< a multiple of the page size
  friend bool operator==(const Distributed&, const Distributed&) = default;
};

/// nodes.size() consecutive parts, part i on nodes[i]. With one equal part for each thread, as a
/// static schedule assigns iterations, each thread's part is on its own node. Bounds are rounded to
/// pages.
struct Partitioned {
  std::vector<NodeId> nodes;
  /// End of each part (exclusive), in elements, ascending; the last one is the array's size. Empty
  /// means equal parts. plan/partition.hpp computes ends from weights and from owners.
  std::vector<std::uint64_t> ends = {};
  friend bool operator==(const Partitioned&, const Partitioned&) = default;
};

/// A complete copy on each of the nodes; the first is the master copy. A thread reads the copy that
/// is nearest to it.
struct Replicated {
  std::vector<NodeId> nodes;
  friend bool operator==(const Replicated&, const Replicated&) = default;
};

/// Placement of an array, and the size of its pages.
struct Layout {
  std::variant<SingleNode, Distributed, Partitioned, Replicated> where;
  PageSize pages = PageSize::huge;

  [[nodiscard]] std::size_t copies() const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Returns "replicated on 0-7, 2 MiB pages", "distributed over 0,2 by 4 KiB, 4 KiB pages".
[[nodiscard]] std::string to_string(const Layout& layout);
/// Returns a list of nodes in its order, with runs abbreviated: "0-3,6"; "0-1x4,3" for 0 0 0 0 1 1
/// 1 1 3.
[[nodiscard]] std::string to_string(const std::vector<NodeId>& nodes);

/// Returns one JSON object, which layout_from_json reads back to an equal layout.
[[nodiscard]] std::string to_json(const Layout& layout);
/// Throws Error (input), which names `where` and the byte or member that is wrong.
[[nodiscard]] Layout layout_from_json(std::string_view text, std::string_view where);

/// Returns the nodes of one tier ("dram", "hbm", …), ascending. Layouts on all memories of a tier
/// use them.
[[nodiscard]] std::vector<NodeId> tier_nodes(const Machine& machine, std::string_view tier);

}  // namespace Atoll
