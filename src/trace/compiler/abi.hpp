// What the pass plugin emits and the library in the watched program provides: names, and the
// description of an access. The fast path itself is emitted inline and knows the layout of
// ThreadState, Slot and PageCounters (recorder/region.hpp).
#pragma once

#include <cstdint>

namespace Atoll::trace::compiled {

/// An access in 32 bits: its length, how many reads and writes it makes, and its kind.
struct Meta {
  std::uint32_t bytes = 0;   ///< below 65536
  std::uint32_t reads = 0;   ///< up to 63; 1 or 0 if `memory`
  std::uint32_t writes = 0;  ///< up to 63; 1 or 0 if `memory`
  bool memory = false;       ///< an access for each 8 bytes, as memcpy makes
  bool more = false;         ///< for a range: more ranges of the same loop follow
  bool atomic = false;       ///< the writes are of atomic operations

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

/// What the version of a function that records timed streams tells of an access, behind Meta in 64
/// bits.
struct TimedMeta {
  Meta meta = {};
  bool atomic = false;
  bool stepped = false;            ///< a range: its iterations come with the loop's
  std::uint32_t instructions = 0;  ///< up to 16383, before it; of a range in each iteration
  std::uint32_t divisions = 0;     ///< up to 255, as is the next
  std::uint32_t chain = 0;

  [[nodiscard]] constexpr std::uint64_t packed() const {
    return meta.packed() | std::uint64_t{atomic} << 32 | std::uint64_t{stepped} << 33 |
           std::uint64_t{instructions} << 34 | std::uint64_t{divisions} << 48 |
           std::uint64_t{chain} << 56;
  }
  [[nodiscard]] static constexpr TimedMeta of(std::uint64_t packed) {
    return {Meta::of(static_cast<std::uint32_t>(packed)),
            (packed >> 32 & 1U) != 0,
            (packed >> 33 & 1U) != 0,
            static_cast<std::uint32_t>(packed >> 34 & 0x3fffU),
            static_cast<std::uint32_t>(packed >> 48 & 0xffU),
            static_cast<std::uint32_t>(packed >> 56)};
  }
};
inline constexpr std::uint32_t kMostMetaInstructions = 0x3fff, kMostMetaSlow = 0xff;

// extern "C" functions of the library. `meta` is Meta::packed().
//
// void slow(u64 address, u32 meta): counts what the fast path can't. It keeps all registers but r11
// (LLVM's preserve_most), so that the fast path's code needn't save any.
inline constexpr char kSlow[] = "atoll_compiled_slow";
// void log_full(ThreadState*): tells the present task's log. It keeps registers as slow does.
inline constexpr char kLogFull[] = "atoll_compiled_log_full";
// void bytes(u64 address, u64 bytes, u32 meta): counts any length; meta's bytes are unused.
inline constexpr char kBytes[] = "atoll_compiled_bytes";
// void range(u64 address, i64 step, u64 n, u32 meta)
inline constexpr char kRange[] = "atoll_compiled_range";
// void nest(u64 address, i64 step, u64 n, i64 outer_step, u64 outer_n, u32 meta): counts a loop in
// a loop.
inline constexpr char kNest[] = "atoll_compiled_nest";
// void masked(u64 address, u64 mask, u32 meta): counts lanes of meta's bytes, side by side.
inline constexpr char kMasked[] = "atoll_compiled_masked";
// ThreadState* start(): makes the state of a thread that has none yet. It is called as slow is.
inline constexpr char kStart[] = "atoll_compiled_start";
// The next are called where streams are timed. Their `meta` is TimedMeta::packed(). `load` is the
// number of the load that the address comes from; 0: of none.
// u64 timed(u64 address, u64 load, u64 meta): records an access, and returns its number if it is a
// load.
inline constexpr char kTimed[] = "atoll_compiled_timed";
// void timed_range(u64 address, i64 step, u64 n, u64 load, u64 meta)
inline constexpr char kTimedRange[] = "atoll_compiled_timed_range";
// void timed_nest(u64 address, i64 step, u64 n, i64 outer_step, u64 outer_n, u64 load, u64 meta)
inline constexpr char kTimedNest[] = "atoll_compiled_timed_nest";
/// thread_local ThreadState*, which the recorder has.
inline constexpr char kThread[] = "atoll_thread_state";
/// std::uint8_t: 0 if nothing is recorded.
inline constexpr char kActive[] = "atoll_compiled_active";
/// std::uint8_t: 1 if something is recorded, and that is a timed stream. (It is apart, so that what
/// isn't watched has one variable to look at.)
inline constexpr char kIsTimed[] = "atoll_compiled_is_timed";

}  // namespace Atoll::trace::compiled
