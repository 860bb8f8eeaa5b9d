// What a machine is made of inside its places: cores, caches, TLBs, page walkers, prefetchers, and
// the wires between nodes. `atoll simulate` runs programs on it; nothing else needs it, so all of
// it may be unknown.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/figure.hpp"
#include "atoll/machine/place.hpp"

namespace Atoll {

/// A figure of the hardware; hardware_figures() says what each one is.
enum class HardwareFigure : std::uint8_t {
  clock,
  width,
  l2_width,
  window,
  in_order,
  lines_in_flight,
  l2_lines_in_flight,
  prefetch_lines,
  store_buffer,
  l1_fill,
  l2_fill,
  l3_line,
  l1_latency,
  l1_ways,
  l2_latency,
  l2_ways,
  l3_latency,
  l3_ways,
  l3_inclusive,
  near_transfer,
  near_take,
  near_hold,
  far_transfer,
  home_busy,
  atomic,
  division,
  chain_step,
  tlb1_4k,
  tlb1_2m,
  tlb1_1g,
  tlb1_ways,
  tlb2_4k,
  tlb2_2m,
  tlb2_1g,
  tlb2_ways,
  tlb2_latency,
  walkers,
  walk_cache,
  walk_latency,
  prefetch_streams,
  prefetch_distance,
  prefetch_crosses,
  open_rows,
  closed_row_share,
  loaded_latency,
  page_fault_4k,
  page_fault_2m,
  page_fault_1g,
  local_latency,
  remote_latency,
  memory_bandwidth,
  wire_bandwidth,
};

/// A figure and between what it lies: low <= value <= high.
struct RangedFigure {
  double value = 0, low = 0, high = 0;
  Source source;
  friend auto operator<=>(const RangedFigure&, const RangedFigure&) = default;
};

/// A row of the table of figures.
struct HardwareRow {
  HardwareFigure figure;
  std::string_view name;  ///< in machine files
  std::string_view unit;  ///< "" for a number
  /// What is taken where a machine doesn't tell, and between what it lies on machines of the last
  /// twenty years.
  double value, low, high;
  /// What `value` may be at all.
  double least, most;
  std::string_view meaning;
};

/// All figures, in the order of the enumeration.
[[nodiscard]] std::span<const HardwareRow> hardware_figures();
[[nodiscard]] const HardwareRow& row_of(HardwareFigure figure);

/// A link as it is built: between two nodes, or a node and a router, or two routers. It carries as
/// much in each direction.
struct Wire {
  std::string a, b;  ///< a node's number, or a router's name
  Figure bytes_per_second;
  friend auto operator<=>(const Wire&, const Wire&) = default;
};

/// A cache in front of a memory, behind its controller: whatever misses all processors' caches is
/// looked for there first. It is no memory of its own, and no part of coherence. (Knights Landing's
/// MCDRAM in cache mode; DRAM in front of persistent memory.)
struct MemorySideCache {
  NodeId memory;
  std::uint64_t bytes = 0;
  std::uint64_t ways = 1;         ///< 1: direct mapped
  std::uint64_t line_bytes = 64;  ///< not less than the processors' caches have
  Source source;                  ///< of these three
  /// From load to use of a line that it has, from the nearest node.
  RangedFigure latency_ns;
  /// How much longer than without it a line takes that it doesn't have.
  RangedFigure check_ns;
  RangedFigure bytes_per_second;  ///< of lines that it gives, takes or is asked for
  friend bool operator==(const MemorySideCache&, const MemorySideCache&) = default;
};

/// What is inside a machine's places, as far as it is known.
struct Hardware {
  std::map<HardwareFigure, RangedFigure> figures;  ///< those that are known
  std::vector<Wire> wires;                         ///< empty: unknown
  /// Ascending by memory, at most one for each. Empty: there is none, or nobody told.
  std::vector<MemorySideCache> memory_side_caches;

  /// The figure; the table's where it isn't known.
  [[nodiscard]] RangedFigure operator[](HardwareFigure figure) const;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};

}  // namespace Atoll
