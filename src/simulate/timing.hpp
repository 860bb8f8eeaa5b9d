// Properties of a machine that decide the duration of accesses, in ticks. Properties that decide
// which accesses hit are in shape.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "simulate/shape.hpp"
#include "simulate/ticks.hpp"

namespace Atoll::simulate {

/// Timing of a cache in front of a memory.
struct MemorySideTiming {
  Ticks latency = 0;             ///< load-to-use latency of a hit, from the nearest node
  Ticks check = 0;               ///< additional latency of a miss
  Ticks line = 0;                ///< time to transfer one line, one at a time
  std::uint32_t fill_lines = 1;  ///< lines that it reads from its memory at a time
};

/// Timing of one core. Counts are per core, or per level 2 cache; threads that share it divide
/// them.
struct CoreTiming {
  double instruction = 100;    ///< ticks per instruction without stalls
  double l2_instruction = 0;   ///< the same if all threads of a level 2 cache share a front end
  std::uint32_t window = 128;  ///< instructions from the oldest unfinished one to the newest
  bool in_order = false;       ///< an instruction that waits for a load stalls all later ones
  std::uint32_t lines = 10;    ///< level 1 misses in flight
  std::uint32_t l2_lines = 0;  ///< level 2 misses in flight; 0: as many as level 1
  std::uint32_t prefetch_lines = 16;   ///< prefetched lines in flight
  std::uint32_t stores = 40;           ///< size of the store buffer
  std::uint32_t walkers = 1;           ///< page walks in flight
  Ticks division = 0, chain_step = 0;  ///< see IntervalCore::add_long_latency_ops()
  Ticks atomic = 0;                    ///< additional time of an atomic operation
  Ticks l1 = 0, l2 = 0, tlb2 = 0;      ///< load-to-use latency
  Ticks l1_fill = 0;                   ///< time for which a line occupies level 1, one at a time
  Ticks l2_fill = 0;                   ///< time for which a line occupies level 2, one at a time
  Ticks walk = 0;                      ///< a page walk without its reads
};

/// Timing of what cores share: caches of a chip, coherence, memories, links. Memories, and nodes
/// with processing units, are counted by index.
struct MachineTiming {
  Ticks l3 = 0, near_cache = 0;  ///< load-to-use latency
  Ticks near_take = 0;  ///< near_cache of an atomic operation that waited for another core's
  Ticks near_hold = 0;  ///< time for which a core holds a line for its atomic operations
  Ticks far_cache = 0;  ///< added to the home's latency if another chip's cache has the data
  Ticks l3_line = 0;    ///< time for which a line occupies a level 3 cache, one at a time
  Ticks home_busy = 0;  ///< occupation of a home node by a transfer or upgrade between chips
  std::array<Ticks, kPageClasses> page_fault{};
  std::uint32_t nodes = 1, memories = 1;
  std::uint32_t line_bytes = 64;
  std::vector<Ticks> latency;                 ///< nodes x memories: of an idle memory
  std::vector<std::uint8_t> is_local;         ///< nodes x memories
  std::vector<std::uint32_t> node_of_home;    ///< by memory: the node nearest to it
  std::vector<Ticks> read_open, read_closed;  ///< by memory: occupation of the controller by a line
  std::vector<Ticks> write_open, write_closed;
  std::vector<MemorySideTiming> memory_side;  ///< by memory; empty: none has such a cache
  std::vector<Ticks> wire;                    ///< by link and direction: occupation by a line
  /// nodes x memories: links on the path of a line from the memory to the node, and back.
  std::vector<std::vector<std::uint16_t>> from_memory, to_memory;
  /// nodes x nodes: [to][from].
  std::vector<std::vector<std::uint16_t>> from_node;
};

struct Timing {
  CoreTiming core;
  MachineTiming machine;
};

}  // namespace Atoll::simulate
