// What an access meets in caches, TLBs and directory. Timing needs no more than this, so that the
// same outcomes can be timed with other figures.
#pragma once

#include <array>
#include <cstdint>

namespace Atoll::simulate {

/// Where a line was found.
enum class Source : std::uint8_t {
  l1,
  l2,
  l3,
  near_cache,  ///< another cache of the chip
  memory,
  far_cache,  ///< a cache of another chip, which had written it
};

/// What the cache in front of a memory had.
enum class MemorySideResult : std::uint8_t {
  none,            ///< the memory has no such cache, or wasn't asked
  hit,             ///< the line
  missed,          ///< not the line
  missed_changed,  ///< not the line; one that was changed had to go, back to the memory
};

/// How a line came.
struct Fetch {
  std::uint64_t line = 0;
  Source source = Source::l1;
  bool row_is_open = false;  ///< of a memory: the controller was at this row already
  std::uint16_t home = 0;    ///< the memory that the line belongs to
  std::uint16_t holder = 0;  ///< far_cache: the node of that cache
  MemorySideResult memory_side = MemorySideResult::none;
  bool victim_row_is_open = false;  ///< the same of the line that had to go
};

/// A line that goes to its memory, or one that is fetched before it is used. Nobody waits for it.
struct SideTraffic {
  enum class Kind : std::uint8_t { write_back, prefetch };
  Kind kind = Kind::write_back;
  Fetch fetch;
};

/// What others have to give up, so that a line may be written.
enum class Upgrade : std::uint8_t {
  none,
  near,  ///< only caches of the chip had it
  far,   ///< caches of other chips, too
};

inline constexpr int kMostWalkSteps = 3;

/// Everything that one access to one line meets, but for its side traffic.
struct Outcome {
  Fetch data;
  Upgrade upgrade = Upgrade::none;
  bool second_tlb = false;      ///< the first TLB didn't have the page; the second one was asked
  std::uint8_t walk_steps = 0;  ///< entries of page tables that were read, outermost first
  std::array<Fetch, kMostWalkSteps> walk;
};

}  // namespace Atoll::simulate
