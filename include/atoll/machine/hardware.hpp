// The hardware inside a machine's places: cores, caches, TLBs, page walkers, prefetchers, and the
// wires between nodes. Only `atoll simulate` uses it, so all of it may be unknown.
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

/// A figure of the hardware; hardware_figures() describes each one.
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

/// A figure with a range: low <= value <= high.
struct RangedFigure {
  double value = 0, low = 0, high = 0;
  Source source;
  friend auto operator<=>(const RangedFigure&, const RangedFigure&) = default;
};

/// A row of the table of figures.
struct HardwareRow {
  HardwareFigure figure;
  std::string_view name;  ///< as in machine files
  std::string_view unit;  ///< "" for a plain number
  /// Default if a machine doesn't specify the figure, with its range on machines of the last twenty
  /// years.
  double value, low, high;
  /// Accepted range.
  double least, most;
  std::string_view meaning;
};

/// All figures, in the order of the enumeration.
[[nodiscard]] std::span<const HardwareRow> hardware_figures();
[[nodiscard]] const HardwareRow& row_of(HardwareFigure figure);

/// A physical link between two nodes, a node and a router, or two routers. It has the same
/// bandwidth in both directions.
struct Wire {
  std::string a, b;  ///< a node's number, or a router's name
  Figure bytes_per_second;
  friend auto operator<=>(const Wire&, const Wire&) = default;
};

/// A cache in front of a memory, on the memory controller's side. Every miss of all processor
/// caches is looked up there first. It isn't a memory node, and doesn't take part in coherence.
/// (Examples: Knights Landing's MCDRAM in cache mode; DRAM in front of persistent memory.)
struct MemorySideCache {
  NodeId memory;
  std::uint64_t bytes = 0;
  std::uint64_t ways = 1;         ///< 1: direct mapped
  std::uint64_t line_bytes = 64;  ///< at least the line size of the processors' caches
  Source source;                  ///< of bytes, ways and line_bytes
  /// Load-to-use latency of a hit, from the nearest node.
  RangedFigure latency_ns;
  /// Additional latency of a miss, compared with a machine without the cache.
  RangedFigure check_ns;
  RangedFigure bytes_per_second;  ///< bandwidth for lines read, written and looked up
  friend bool operator==(const MemorySideCache&, const MemorySideCache&) = default;
};

/// The known hardware inside a machine's places.
struct Hardware {
  std::map<HardwareFigure, RangedFigure> figures;  ///< the known figures
  std::vector<Wire> wires;                         ///< empty: unknown
  /// Ascending by memory, at most one for each. Empty: none, or unknown.
  std::vector<MemorySideCache> memory_side_caches;

  /// Returns the figure, or the table's default if it is unknown.
  [[nodiscard]] RangedFigure operator[](HardwareFigure figure) const;
  friend bool operator==(const Hardware&, const Hardware&) = default;
};

}  // namespace Atoll
