// Computes hardware figures from readings: pure functions, tested on recorded readings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "atoll/machine/hardware.hpp"

namespace Atoll::measure {

/// A reading: the time of a load, by size of the working set.
struct Reading {
  double size = 0;  ///< bytes, pages, or instructions
  double ns = 0;
};
using Curve = std::vector<Reading>;  ///< sorted by size, ascending

/// All readings; 0 or an empty curve if a reading wasn't possible.
struct HardwareReadings {
  std::uint64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0, line_bytes = 64;
  double clock_ghz = 0, instructions_a_cycle = 0;
  Curve chase_2m, chase_4k;    ///< by bytes, in pages of 2 MiB and of 4 KiB
  Curve page_chase;            ///< one line in each page of 4 KiB, by number of pages
  double gather_l3_ns = 0;     ///< time per load of independent loads in the level 3 cache
  double sweep_l2_ns = 0;      ///< time per line of cyclic passes over four times level 1
  double sweep_l3_ns = 0;      ///< as sweep_l2_ns, over four times level 2
  double sweep_l3_all_ns = 0;  ///< as sweep_l3_ns, on l3_threads threads at once
  int l3_threads = 1;
  double stream_2m_ns = 0, stream_4k_ns = 0;  ///< time per line of sequential reads, by page size
  double pieces_2m_ns = 0;       ///< as stream_2m_ns, with pieces of 4 KiB in random order
  Curve streams;                 ///< as stream_2m_ns, by the number of interleaved streams
  double gather_memory_ns = 0;   ///< time per independent load in the largest working set
  double gather_4k_ns = 0;       ///< as gather_memory_ns, in pages of 4 KiB
  Curve pairs;                   ///< time of two misses, by the number of instructions between them
  double handoff_ns = 0;         ///< transfer of a line that two cores write alternately, each way
  double atomic_ns = 0;          ///< an uncontended atomic addition
  double contended_ns = 0;       ///< an atomic addition while another core adds to the same counter
  double operations_a_stay = 0;  ///< additions of one core between two of the other
  double loaded_ns = 0;  ///< a load from memory while all other cores read memory at full speed
  double fault_4k_ns = 0, fault_2m_ns = 0;
  double stream_bytes_per_second = 0;  ///< read by one thread from memory
};

/// Combines two sets of readings of one computer: the shorter reading of each, as disturbances
/// usually make a reading longer.
[[nodiscard]] HardwareReadings shorter_of(HardwareReadings one, const HardwareReadings& other);
/// Returns the median of the readings with sizes in [from, to]; empty if there are none.
[[nodiscard]] std::optional<double> plateau(const Curve& curve, double from, double to);
/// Returns the size at which the curve rises through the mean of `low` and `high`, interpolated
/// logarithmically in size; empty if it doesn't. The last rise is used.
[[nodiscard]] std::optional<double> knee(const Curve& curve, double low, double high);
/// Limits each reading to the minimum of those with larger sizes: disturbances only make a reading
/// longer.
[[nodiscard]] Curve ascending(Curve curve);
/// Returns the additional time of chases of one line per page, compared with as many adjacent
/// lines.
[[nodiscard]] Curve beyond_lines(const Curve& pages, const Curve& lines, std::uint64_t line_bytes);

/// Computes the figures from the readings, with Origin::measured and the method.
[[nodiscard]] std::map<HardwareFigure, RangedFigure> figures_from(const HardwareReadings& readings);
/// Returns the time of a load from memory without page walks; empty if no chase exceeded the
/// caches.
[[nodiscard]] std::optional<double> memory_latency_ns(const HardwareReadings& readings);
/// Returns the usable size of the level 3 cache: virtual machines often can use only a part of the
/// reported size. Empty if the curve doesn't show it.
[[nodiscard]] std::optional<double> usable_l3_bytes(const HardwareReadings& readings);

}  // namespace Atoll::measure
