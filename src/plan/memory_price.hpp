// What accesses cost on one core: figures that the choice of an order and the prediction of a
// schedule share.
#pragma once

#include "atoll/machine/machine.hpp"
#include "atoll/plan/reuse.hpp"

namespace Atoll::detail {

inline constexpr double kStreamedBytes = 12;  ///< of an access: an index and a value
inline constexpr double kOverlap = 8;         ///< misses of one core that are under way together

/// A core's share of the last-level cache, or its second-level cache if that is larger.
[[nodiscard]] ReuseCaches caches_of(const Machine& machine);
/// A core's second-level cache, or none if caches_of() is no larger.
[[nodiscard]] ReuseCaches inner_caches_of(const Machine& machine);
/// A core's first-level cache; none if the machine doesn't say.
[[nodiscard]] ReuseCaches first_caches_of(const Machine& machine);
/// Seconds of a miss of the first-level cache that the second-level one answers.
inline constexpr double kFirstMissSeconds = 5e-9 / kOverlap;
/// Seconds of a miss of the second-level cache that the last-level one answers.
inline constexpr double kInnerMissSeconds = 15e-9 / kOverlap;
/// Seconds of a TLB miss whose page table is in a cache; two walks are under way together.
inline constexpr double kWalkSeconds = 2.5e-9;
/// Seconds of a miss of a core at `from` in memory `to`.
[[nodiscard]] double miss_seconds(const Machine& machine, NodeId from, NodeId to);
/// Half a nanosecond for an index and a value: what a sum over them takes if they are in a cache.
inline constexpr double kCachedBytesPerSecond = 24e9;
/// Bytes a second that a core at `from` streams from memory `to`.
[[nodiscard]] double streamed_bytes_per_second(const Machine& machine, NodeId from, NodeId to);

/// Seconds of a core at `from` for streams of so many bytes. Those that fit caches of `cache_bytes`
/// come from there, and larger ones from memory; around that size, a part does.
[[nodiscard]] double stream_seconds(double bytes, double cache_bytes, const Machine& machine,
                                    NodeId from, NodeId to);

}  // namespace Atoll::detail
