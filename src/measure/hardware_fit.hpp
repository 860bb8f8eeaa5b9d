// From readings to figures of the hardware: pure functions, tested on recorded readings.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "atoll/machine/hardware.hpp"

namespace Atoll::measure {

/// A reading by size: what a load takes in a working set.
struct Reading {
  double size = 0;  ///< bytes, pages, or instructions
  double ns = 0;
};
using Curve = std::vector<Reading>;  ///< by size, ascending

/// Everything that was read; 0, or an empty curve: it couldn't be.
struct HardwareReadings {
  std::uint64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0, line_bytes = 64;
  double clock_ghz = 0, instructions_a_cycle = 0;
  Curve chase_2m, chase_4k;    ///< by bytes, in pages of 2 MiB and of 4 KiB
  Curve page_chase;            ///< a line of each page of 4 KiB, by their number
  double gather_l3_ns = 0;     ///< a load, many under way, where the level 3 cache has all
  double sweep_l2_ns = 0;      ///< a line of four times level 1, round and round
  double sweep_l3_ns = 0;      ///< the same of four times level 2
  double sweep_l3_all_ns = 0;  ///< the same of each of l3_threads threads at once
  int l3_threads = 1;
  double stream_2m_ns = 0, stream_4k_ns = 0;  ///< a line of memory, one after the other, by pages
  double pieces_2m_ns = 0;                    ///< the same in pages of 2 MiB, each 4 KiB anywhere
  Curve streams;                              ///< the same by the number of streams that take turns
  double gather_memory_ns = 0;                ///< the same of the largest working set
  double gather_4k_ns = 0;                    ///< the same, in pages of 4 KiB
  Curve pairs;                                ///< two misses, by instructions between them
  double handoff_ns = 0;                      ///< a line that two cores write in turns, each way
  double atomic_ns = 0;                       ///< an atomic addition
  double contended_ns = 0;       ///< the same of each of two cores that add to one counter
  double operations_a_stay = 0;  ///< of one of them, until the other one's come between
  double loaded_ns = 0;  ///< a load of memory while all other cores read as much as they can
  double fault_4k_ns = 0, fault_2m_ns = 0;
  double stream_bytes_per_second = 0;  ///< one thread, reading memory
};

/// Of two of the same computer, the shorter reading each time: what else goes on makes one longer,
/// as a rule.
[[nodiscard]] HardwareReadings shorter_of(HardwareReadings one, const HardwareReadings& other);
/// The median of the readings from one size to another; nothing if there are none.
[[nodiscard]] std::optional<double> plateau(const Curve& curve, double from, double to);
/// The size at which the curve rises through the mean of two values, between readings by the
/// logarithm of sizes; nothing if it doesn't. The last rise counts.
[[nodiscard]] std::optional<double> knee(const Curve& curve, double low, double high);
/// Each reading at most what those of larger sizes are: what disturbs one only makes it longer.
[[nodiscard]] Curve ascending(Curve curve);
/// What chases of a line in each of so many pages take beyond those of as many lines side by side.
[[nodiscard]] Curve beyond_lines(const Curve& pages, const Curve& lines, std::uint64_t line_bytes);

/// The figures that the readings tell, each with Origin::measured and how.
[[nodiscard]] std::map<HardwareFigure, RangedFigure> figures_from(const HardwareReadings& readings);
/// What a load of memory takes, without page walks; nothing if no chase was beyond the caches.
[[nodiscard]] std::optional<double> memory_latency_ns(const HardwareReadings& readings);
/// How much of its level 3 cache this computer's programs can use: virtual machines often have a
/// part of what they are shown. Nothing if the curve doesn't tell.
[[nodiscard]] std::optional<double> usable_l3_bytes(const HardwareReadings& readings);

}  // namespace Atoll::measure
