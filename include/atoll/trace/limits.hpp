// What a recording lacks: what was lost in this run, and what its front end can't see in any.
// Values with counts; code asks for kinds, and sentences are made for people alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::trace {

enum class LossKind : std::uint8_t {
  pages_without_lines,     ///< pages of a thread, recorded as if they were one line: no memory
  accesses_outside,        ///< accesses outside of what was asked for, or of signal handlers
  accesses_dropped,        ///< accesses for which there was no memory
  handler_accesses,        ///< accesses of signal handlers that a stream has no place for
  events_dropped,          ///< allocations and threads for which there was no memory
  accesses_to_the_last,    ///< accesses of addresses that several objects had in turn
  samples_dropped,         ///< samples for which there was no room
  pages_sampled_once,      ///< withdrawn pages whose samples count once only
  paused_ms,               ///< milliseconds in which nothing was sampled
  allocations_too_often,   ///< large allocations not watched: there were too many in a second
  allocations_unsafe,      ///< large allocations not watched: the program closed strange files
  lines_of_later_threads,  ///< lines without the communication of threads after the first 2,048
  lines_estimated,         ///< lines whose communication is estimated from some of their threads
  accesses_divided,        ///< accesses to lines that several objects have, divided by their words
  other,                   ///< of an older recording: `detail` says it
};

/// Something that was lost or coarsened, and how much.
struct Loss {
  LossKind kind = LossKind::other;
  std::uint64_t count = 0;
  std::string detail{};  ///< what belongs to the sentence of some kinds
  friend bool operator==(const Loss&, const Loss&) = default;
};

enum class UnseenKind : std::uint8_t {
  everything,         ///< `detail`: why
  other_libraries,    ///< libraries not compiled with the compiler `detail`
  kernel,             ///< accesses by the kernel on the program's behalf
  registers,          ///< what the compiler keeps in registers
  vector_loops,       ///< vectorised loops as such
  avx512,             ///< the processor's instructions that the emulator hasn't got
  numa_calls,         ///< system calls that fail in the emulator
  first_touches,      ///< `detail`: why
  system_touches,     ///< first touches by the system; `detail`: what would show them
  unpicked_accesses,  ///< all that the hardware's events `detail` didn't pick
  short_uses,         ///< how often a page is used within a hundredth of a second
  reads_and_writes,   ///< which uses are writes
  small_objects,      ///< uses of small allocations, globals and stacks
  parts,              ///< all but one of `count` parts of large allocations
  hardware_samples,   ///< addresses that the hardware samples; `detail`: why
  other,              ///< of an older recording: `detail` says it
};

/// Something that the front end can't see.
struct Unseen {
  UnseenKind kind = UnseenKind::other;
  std::string detail{};     ///< words, as its kind says; else empty
  std::uint64_t count = 0;  ///< as its kind says; else 0
  friend bool operator==(const Unseen&, const Unseen&) = default;
};

/// "pages_without_lines", …: names in files, which don't change.
[[nodiscard]] std::string_view to_string(LossKind kind);
[[nodiscard]] std::string_view to_string(UnseenKind kind);
/// Return none for a name that there isn't.
[[nodiscard]] std::optional<LossKind> loss_kind_from(std::string_view name);
[[nodiscard]] std::optional<UnseenKind> unseen_kind_from(std::string_view name);

}  // namespace Atoll::trace
