#include "atoll/machine/hardware.hpp"

#include <array>

namespace Atoll {
namespace {

using enum HardwareFigure;

constexpr double kMax = 1e6;

constexpr std::array kRows{
    HardwareRow{clock, "clock", "GHz", 2.5, 1.5, 4, 0.01, 20, "of a core"},
    HardwareRow{width, "width", "", 4, 2, 6, 0.1, 64, "instructions a cycle, of a core"},
    HardwareRow{l2_width, "l2_width", "", 0, 0, 0, 0, 64,
                "the same of all cores at one level 2 cache; 0: they share nothing"},
    HardwareRow{window, "window", "", 160, 64, 320, 1, kMax,
                "instructions between the oldest that waits and the newest that has begun"},
    HardwareRow{in_order, "in_order", "", 0, 0, 0, 0, 1,
                "1: an instruction that waits for a load holds up all that follow"},
    HardwareRow{lines_in_flight, "lines_in_flight", "", 10, 6, 16, 1, 1024,
                "level 1 misses at a time, of a core"},
    HardwareRow{l2_lines_in_flight, "l2_lines_in_flight", "", 24, 12, 48, 1, 1024,
                "level 2 misses at a time, of a level 2 cache"},
    HardwareRow{prefetch_lines, "prefetch_lines", "", 16, 8, 32, 1, 1024,
                "prefetched lines under way, of a level 2 cache"},
    HardwareRow{store_buffer, "store_buffer", "", 42, 20, 72, 1, 1024,
                "stores of a core that wait for their lines"},
    HardwareRow{l1_fill, "l1_fill", "cycles", 2, 1, 4, 0, 1000,
                "level 1 takes a line from level 2 or beyond: one at a time"},
    HardwareRow{l2_fill, "l2_fill", "cycles", 4, 2, 8, 0, 1000,
                "level 2 takes a line from level 3 or beyond: one at a time"},
    HardwareRow{l3_line, "l3_line", "ns", 0.7, 0.3, 2.5, 0, 1000,
                "a level 3 cache gives a line: one at a time, of all cores at it"},
    HardwareRow{l1_latency, "l1_latency", "cycles", 4, 3, 5, 0, 1000, "from load to use"},
    HardwareRow{l1_ways, "l1_ways", "", 8, 8, 8, 1, 1024, "of the level 1 data cache"},
    HardwareRow{l2_latency, "l2_latency", "cycles", 13, 10, 20, 0, 1000, "from load to use"},
    HardwareRow{l2_ways, "l2_ways", "", 8, 8, 8, 1, 1024, "of the level 2 cache"},
    HardwareRow{l3_latency, "l3_latency", "ns", 18, 10, 35, 0, 10000, "from load to use"},
    HardwareRow{l3_ways, "l3_ways", "", 16, 16, 16, 1, 1024, "of the level 3 cache"},
    HardwareRow{l3_inclusive, "l3_inclusive", "", 1, 1, 1, 0, 1,
                "1: it has what the chip's other caches have; 0: what they dropped"},
    HardwareRow{near_transfer, "near_transfer", "ns", 35, 20, 70, 0, 10000,
                "from load to use of a line that another cache of the chip has"},
    HardwareRow{near_take, "near_take", "ns", 0, 0, 0, 0, 10000,
                "the same, if atomic operations of both cores wait for it; 0: as near_transfer"},
    HardwareRow{near_hold, "near_hold", "ns", 0, 0, 0, 0, 10000,
                "a core keeps a line that came for an atomic operation, though others wait"},
    HardwareRow{far_transfer, "far_transfer", "ns", 40, 10, 120, 0, 10000,
                "beyond its memory's latency, of a line that another chip has written"},
    HardwareRow{home_busy, "home_busy", "ns", 10, 3, 40, 0, 10000,
                "a node, with each transfer or upgrade of one of its lines between chips"},
    HardwareRow{atomic, "atomic", "cycles", 20, 6, 30, 0, 1000,
                "an atomic operation, beside its access"},
    HardwareRow{division, "division", "cycles", 20, 10, 40, 0, 1000,
                "a division or root: one after the other"},
    HardwareRow{chain_step, "chain_step", "cycles", 4, 3, 6, 0, 1000,
                "a floating-point operation whose operand is the result of the one before"},
    HardwareRow{tlb1_4k, "tlb1_4k", "", 64, 64, 64, 0, kMax, "entries of the first TLB, 4 KiB"},
    HardwareRow{tlb1_2m, "tlb1_2m", "", 32, 32, 32, 0, kMax, "the same of 2 MiB"},
    HardwareRow{tlb1_1g, "tlb1_1g", "", 4, 4, 4, 0, kMax, "the same of 1 GiB"},
    HardwareRow{tlb1_ways, "tlb1_ways", "", 4, 4, 4, 1, kMax, "of the first TLB"},
    HardwareRow{tlb2_4k, "tlb2_4k", "", 1024, 1024, 1024, 0, kMax,
                "entries of the second TLB, 4 KiB"},
    HardwareRow{tlb2_2m, "tlb2_2m", "", 1024, 1024, 1024, 0, kMax, "the same of 2 MiB"},
    HardwareRow{tlb2_1g, "tlb2_1g", "", 16, 16, 16, 0, kMax, "the same of 1 GiB"},
    HardwareRow{tlb2_ways, "tlb2_ways", "", 8, 8, 8, 1, kMax, "of the second TLB"},
    HardwareRow{tlb2_latency, "tlb2_latency", "cycles", 7, 5, 10, 0, 1000,
                "to find a page in the second TLB"},
    HardwareRow{walkers, "walkers", "", 1, 1, 2, 1, 64, "page walks of a core at a time"},
    HardwareRow{walk_cache, "walk_cache", "", 32, 32, 32, 0, kMax,
                "entries of page tables that a core keeps, of 2 MiB and of 1 GiB each"},
    HardwareRow{walk_latency, "walk_latency", "cycles", 0, 0, 0, 0, 10000,
                "a walk, beside what its reads take: more in virtual machines, with two tables"},
    HardwareRow{prefetch_streams, "prefetch_streams", "", 16, 16, 16, 0, 1024,
                "streams that a level 2 cache follows; 0: there is no prefetcher"},
    HardwareRow{prefetch_distance, "prefetch_distance", "", 16, 16, 16, 1, 1024,
                "lines that it is ahead"},
    HardwareRow{prefetch_crosses, "prefetch_crosses", "", 0, 0, 0, 0, 2,
                "streams end at 4 KiB (0), at their page's end (1), at neither (2)"},
    HardwareRow{open_rows, "open_rows", "", 64, 64, 64, 1, kMax,
                "of a memory, over all banks and channels"},
    HardwareRow{closed_row_share, "closed_row_share", "", 0.6, 0.35, 1, 0.01, 1,
                "bandwidth of lines from rows that aren't open, by that of streams"},
    HardwareRow{loaded_latency, "loaded_latency", "ns", 0, 0, 0, 0, 100000,
                "a load of memory while all other cores of the chip read; 0: unknown"},
    HardwareRow{page_fault_4k, "page_fault_4k", "ns", 700, 300, 2000, 0, 1e9,
                "a first touch, with the system's clearing of the page"},
    HardwareRow{page_fault_2m, "page_fault_2m", "ns", 150e3, 60e3, 400e3, 0, 1e9,
                "the same of 2 MiB"},
    HardwareRow{page_fault_1g, "page_fault_1g", "ns", 60e6, 30e6, 200e6, 0, 1e9,
                "the same of 1 GiB"},
    HardwareRow{local_latency, "local_latency", "", 1, 0.75, 1.25, 0.1, 10,
                "latencies of nodes' own memories, by what `links` says"},
    HardwareRow{remote_latency, "remote_latency", "", 1, 0.75, 1.25, 0.1, 10,
                "latencies of other memories, by what `links` says"},
    HardwareRow{memory_bandwidth, "memory_bandwidth", "", 1, 0.75, 1.25, 0.1, 10,
                "bandwidths of memories, by what `links` says of the nearest node"},
    HardwareRow{wire_bandwidth, "wire_bandwidth", "", 1, 0.75, 1.25, 0.1, 10,
                "rates of wires, by what `wires` says"},
};

constexpr bool rows_are_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].figure) != i) return false;
  return true;
}
static_assert(rows_are_in_order());

}  // namespace

std::span<const HardwareRow> hardware_figures() {
  return kRows;
}

const HardwareRow& row_of(HardwareFigure figure) {
  return kRows[static_cast<std::size_t>(figure)];
}

RangedFigure Hardware::operator[](HardwareFigure figure) const {
  if (const auto known = figures.find(figure); known != figures.end()) return known->second;
  const HardwareRow& row = row_of(figure);
  return {row.value, row.low, row.high, {Origin::estimated, "usual of machines like this"}};
}

}  // namespace Atoll
