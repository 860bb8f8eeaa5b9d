// Interface between the code that the pass plugin emits and the library in the watched program:
// function names and the encoding of an access. The inline fast path depends on the layout of
// ThreadState, Slot and PageCounters (recorder/region.hpp).
#pragma once

#include <cstdint>

#include "atoll/record/access_style.hpp"

namespace Atoll::record::compiled {

/// One access in 32 bits: its length, its numbers of reads and writes, and its kind.
struct Meta {
  std::uint32_t bytes = 0;   ///< below 65536
  std::uint32_t reads = 0;   ///< up to 63; 1 or 0 if `memory`
  std::uint32_t writes = 0;  ///< up to 63; 1 or 0 if `memory`
  bool memory = false;       ///< counts once per 8 bytes, like memcpy
  bool more = false;         ///< for a range: more ranges of the same loop follow
  bool atomic = false;       ///< atomic operations make the writes

  [[nodiscard]] constexpr std::uint32_t packed() const {
    return bytes | reads << 16 | writes << 22 | (memory ? 1U << 28 : 0) | (more ? 1U << 29 : 0) |
           (atomic ? 1U << 30 : 0);
  }
  [[nodiscard]] static constexpr Meta of(std::uint32_t packed) {
    return {packed & 0xffffU,         packed >> 16 & 63U,       packed >> 22 & 63U,
            (packed >> 28 & 1U) != 0, (packed >> 29 & 1U) != 0, (packed >> 30 & 1U) != 0};
  }
};
inline constexpr std::uint32_t kMaxAccesses = 63;

/// Encoding of an access in timed versions of functions: Meta in the lower 32 bits, then these
/// fields.
struct TimedMeta {
  Meta meta = {};
  bool atomic = false;
  bool stepped = false;  ///< a range that advances one step per iteration of its loop
  /// Executed before it; for a range: per iteration. Up to 16383 instructions, 255 divisions and
  /// 255 chain steps.
  WorkCounts<std::uint32_t> work = {};

  [[nodiscard]] constexpr std::uint64_t packed() const {
    return meta.packed() | std::uint64_t{atomic} << 32 | std::uint64_t{stepped} << 33 |
           std::uint64_t{work.instructions} << 34 | std::uint64_t{work.divisions} << 48 |
           std::uint64_t{work.chain} << 56;
  }
  [[nodiscard]] static constexpr TimedMeta of(std::uint64_t packed) {
    return {Meta::of(static_cast<std::uint32_t>(packed)),
            (packed >> 32 & 1U) != 0,
            (packed >> 33 & 1U) != 0,
            {static_cast<std::uint32_t>(packed >> 34 & 0x3fffU),
             static_cast<std::uint32_t>(packed >> 48 & 0xffU),
             static_cast<std::uint32_t>(packed >> 56)}};
  }
};
inline constexpr std::uint32_t kMaxMetaInstructions = 0x3fff, kMaxMetaSlow = 0xff;

// extern "C" functions of the library. `meta` is Meta::packed().
//
// void slow(u64 address, u32 meta): counts an access that the fast path can't. It preserves all
// registers but r11 (LLVM's preserve_most), so the fast path needn't save any.
inline constexpr char kSlow[] = "atoll_compiled_slow";
// void log_full(ThreadState*): reports the current task's log, which is full. Preserves registers
// as slow does.
inline constexpr char kLogFull[] = "atoll_compiled_log_full";
// void bytes(u64 address, u64 bytes, u32 meta): counts an access of any length; ignores meta's
// bytes.
inline constexpr char kBytes[] = "atoll_compiled_bytes";
// void range(u64 address, i64 step, u64 n, u32 meta)
inline constexpr char kRange[] = "atoll_compiled_range";
// void nest(u64 address, i64 step, u64 n, i64 outer_step, u64 outer_n, u32 meta): counts a loop
// within a loop.
inline constexpr char kNest[] = "atoll_compiled_nest";
// void masked(u64 address, u64 mask, u32 meta): counts adjacent lanes of meta's bytes each.
inline constexpr char kMasked[] = "atoll_compiled_masked";
// ThreadState* start(): creates the state of a thread that has none. Preserves registers as slow
// does.
inline constexpr char kStart[] = "atoll_compiled_start";
// The following functions are called if streams are timed. Their `meta` is TimedMeta::packed().
// `load` is the number of the load that produced the address; 0 means none.
//
// u64 timed(u64 address, u64 load, u64 meta): records an access. Returns its number if it is a
// load.
inline constexpr char kTimed[] = "atoll_compiled_timed";
// void timed_range(u64 address, i64 step, u64 n, u64 load, u64 meta)
inline constexpr char kTimedRange[] = "atoll_compiled_timed_range";
// void timed_nest(u64 address, i64 step, u64 n, i64 outer_step, u64 outer_n, u64 load, u64 meta)
inline constexpr char kTimedNest[] = "atoll_compiled_timed_nest";
/// thread_local ThreadState*, defined by the recorder.
inline constexpr char kThread[] = "atoll_thread_state";
/// std::uint8_t: 0 if recording is off.
inline constexpr char kActive[] = "atoll_compiled_active";
/// std::uint8_t: 1 if a timed stream is recorded. This is a separate variable, so that unwatched
/// code tests kActive alone.
inline constexpr char kIsTimed[] = "atoll_compiled_is_timed";

}  // namespace Atoll::record::compiled
