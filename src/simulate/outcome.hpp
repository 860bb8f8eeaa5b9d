// Outcome of an access in caches, TLBs and directory. Timing needs nothing else, so the same
// outcomes can be timed again with other figures.
#pragma once

#include <array>
#include <cstdint>

namespace Atoll::simulate {

/// Place in which a line was found.
enum class Source : std::uint8_t {
  l1,
  l2,
  l3,
  near_cache,  ///< another cache of the chip
  memory,
  far_cache,  ///< a cache of another chip, in which it was dirty
};

/// Outcome in the cache in front of a memory.
enum class MemorySideResult : std::uint8_t {
  none,            ///< the memory has no such cache, or wasn't accessed
  hit,             ///< the cache has the line
  missed,          ///< the cache doesn't have the line
  missed_changed,  ///< a miss that evicted a modified line, which is written to the memory
};

/// Source of a fetched line.
struct Fetch {
  std::uint64_t line = 0;
  Source source = Source::l1;
  bool row_is_open = false;  ///< memory: the controller's row was open already
  std::uint16_t home = 0;    ///< the memory that the line belongs to
  std::uint16_t holder = 0;  ///< far_cache: node of that cache
  MemorySideResult memory_side = MemorySideResult::none;
  bool victim_row_is_open = false;  ///< the same for the evicted line
};

/// A write-back or a prefetch. No access waits for it.
struct SideTraffic {
  enum class Kind : std::uint8_t { write_back, prefetch };
  Kind kind = Kind::write_back;
  Fetch fetch;
};

/// Invalidations needed before a line may be written.
enum class Upgrade : std::uint8_t {
  none,
  near,  ///< only caches of the same chip had the line
  far,   ///< caches of other chips had it, too
};

inline constexpr int kMaxWalkSteps = 3;

/// Outcome of an access to one line, without its side traffic.
struct Outcome {
  Fetch data;
  Upgrade upgrade = Upgrade::none;
  bool second_tlb = false;      ///< missed the first-level TLB, hit the second
  std::uint8_t walk_steps = 0;  ///< number of page table entries read, outermost first
  std::array<Fetch, kMaxWalkSteps> walk;
};

}  // namespace Atoll::simulate
