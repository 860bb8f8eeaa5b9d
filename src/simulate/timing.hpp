// What of a machine decides how long accesses take, in ticks. Not what they meet: that is
// shape.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/shape.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// A cache in front of a memory.
struct MemorySideTiming {
  Ticks latency = 0;             ///< from load to use of what it has, from the nearest node
  Ticks check = 0;               ///< how much longer what it doesn't have takes
  Ticks line = 0;                ///< it gives or takes one, one at a time
  std::uint32_t fill_lines = 1;  ///< lines that it gets from its memory at a time
};

struct Timing {
  // A core. Counts are of one core, or of what a level 2 cache serves; threads that share it divide
  // them.
  double instruction = 100;    ///< ticks of an instruction that waits for nothing
  double l2_instruction = 0;   ///< the same where all threads of a level 2 cache share a front end
  std::uint32_t window = 128;  ///< instructions between the oldest that isn't done and the newest
  bool in_order = false;       ///< an instruction that waits for a load holds up what follows
  std::uint32_t lines = 10;    ///< level 1 misses at a time
  std::uint32_t l2_lines = 0;  ///< level 2 misses at a time; 0: as many as level 1
  std::uint32_t prefetch_lines = 16;             ///< prefetched lines at a time
  std::uint32_t stores = 40;                     ///< stores that wait for their lines
  std::uint32_t walkers = 1;                     ///< page walks at a time
  Ticks division = 0, chain_step = 0;            ///< of Core::slow_work()
  Ticks atomic = 0;                              ///< an atomic operation, besides its access
  Ticks l1 = 0, l2 = 0, l3 = 0, near_cache = 0;  ///< from the core to data there
  Ticks near_take = 0;  ///< as near_cache, of an atomic operation that waited for another core's
  Ticks near_hold = 0;  ///< how long a core keeps a line that it has for atomic operations
  Ticks far_cache = 0;  ///< beyond the home's latency: data that another chip's cache has
  Ticks tlb2 = 0;
  Ticks l1_fill = 0;    ///< level 1 takes a line, one at a time
  Ticks l2_fill = 0;    ///< level 2 takes a line, one at a time
  Ticks l3_line = 0;    ///< a level 3 cache gives a line, one at a time
  Ticks walk = 0;       ///< a page walk, beside its reads
  Ticks home_busy = 0;  ///< a home node, with each transfer and upgrade between chips
  std::array<Ticks, kPageClasses> page_fault{};

  // Memories, by position, and nodes with processing units, by position.
  std::uint32_t nodes = 1, memories = 1;
  std::uint32_t line_bytes = 64;
  std::vector<Ticks> latency;                 ///< nodes x memories: data of a memory nobody uses
  std::vector<std::uint8_t> is_local;         ///< nodes x memories
  std::vector<std::uint32_t> node_of_home;    ///< by memory: the node nearest to it
  std::vector<Ticks> read_open, read_closed;  ///< by memory: a controller, with a line
  std::vector<Ticks> write_open, write_closed;
  std::vector<MemorySideTiming> memory_side;  ///< by memory; empty: none has such a cache
  std::vector<Ticks> wire;                    ///< by wire and direction: with a line
  /// nodes x memories: the wires that a line passes on its way from the memory, and to it.
  std::vector<std::vector<std::uint16_t>> from_memory, to_memory;
  /// nodes x nodes: [to][from].
  std::vector<std::vector<std::uint16_t>> from_node;
};

}  // namespace Atoll::simulate
