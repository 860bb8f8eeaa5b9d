// Costs of memory accesses of one core, for the choice of an order and for the prediction of a
// schedule.
#pragma once

#include "atoll/machine/machine.hpp"
#include "atoll/plan/reuse.hpp"

namespace Atoll::detail {

inline constexpr double kStreamedBytes = 12;  ///< of an access: an index and a value
inline constexpr double kOverlap = 8;         ///< number of misses of one core that overlap

/// Returns a core's share of the last-level cache, or its second-level cache if that is larger.
[[nodiscard]] ReuseCaches caches_of(const Machine& machine);
/// Returns a core's second-level cache; no cache if caches_of() is no larger.
[[nodiscard]] ReuseCaches inner_caches_of(const Machine& machine);
/// Returns a core's first-level cache; no cache if its size is unknown.
[[nodiscard]] ReuseCaches first_caches_of(const Machine& machine);
/// Seconds of a first-level miss that hits in the second level.
inline constexpr double kFirstMissSeconds = 5e-9 / kOverlap;
/// Seconds of a second-level miss that hits in the last level.
inline constexpr double kInnerMissSeconds = 15e-9 / kOverlap;
/// Seconds of a TLB miss whose page table is cached; two walks overlap.
inline constexpr double kWalkSeconds = 2.5e-9;
/// Returns the seconds of a miss of a core at `from` in memory `to`.
[[nodiscard]] double miss_seconds(const Machine& machine, NodeId from, NodeId to);
/// Half a nanosecond for an index and a value: the time of a sum over cached ones.
inline constexpr double kCachedBytesPerSecond = 24e9;
/// Returns the bytes per second that a core at `from` streams from memory `to`.
[[nodiscard]] double streamed_bytes_per_second(const Machine& machine, NodeId from, NodeId to);

/// Returns the seconds of a core at `from` for streams of `bytes` bytes. Streams that fit into
/// `cache_bytes` are read from the caches, larger ones from memory. Around that size, a fraction is
/// read from memory.
[[nodiscard]] double stream_seconds(double bytes, double cache_bytes, const Machine& machine,
                                    NodeId from, NodeId to);

}  // namespace Atoll::detail
