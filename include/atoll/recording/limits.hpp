// Limits of a recording: losses of this run, and accesses that its front end cannot observe in any
// run. They are values with counts. Code compares their kinds; only messages to users have
// sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace Atoll::recording {

enum class LossKind : std::uint8_t {
  pages_without_lines,  ///< pages of a thread recorded as a single line, as memory was short
  accesses_outside,  ///< accesses outside of the requested part of the run, or by signal handlers
  accesses_dropped,  ///< accesses that were dropped, as memory was short
  handler_accesses,  ///< accesses by signal handlers during a write to the stream
  events_dropped,    ///< allocations and threads that were not recorded, as memory was short
  accesses_to_the_last,    ///< accesses to addresses that several objects owned in turn; the last
                           ///< object has them
  samples_dropped,         ///< samples that were dropped, as a buffer was full
  pages_sampled_once,      ///< withdrawn pages whose samples were counted with weight 1
  paused_ms,               ///< milliseconds without sampling
  allocations_too_often,   ///< large allocations that were not watched, as their rate was too high
  allocations_unsafe,      ///< large allocations not watched, as the program had closed our file
  lines_of_later_threads,  ///< lines without communication of threads beyond the first 2,048
  lines_estimated,         ///< lines whose communication is estimated from some of their threads
  accesses_divided,  ///< accesses to lines shared by several objects, divided among them by words
  other,             ///< from an older recording; `detail` is the text
};

/// Loss or loss of precision in this run, with its extent.
struct Loss {
  LossKind kind = LossKind::other;
  std::uint64_t count = 0;
  std::string detail{};  ///< additional text for the sentence of some kinds
  friend bool operator==(const Loss&, const Loss&) = default;
};

enum class UnseenKind : std::uint8_t {
  everything,         ///< all accesses; `detail`: the reason
  other_libraries,    ///< libraries not compiled with the compiler `detail`
  kernel,             ///< accesses by the kernel on behalf of the program
  registers,          ///< values that the compiler keeps in registers
  vector_loops,       ///< vectorised loops; their accesses are seen in scalar form
  avx512,             ///< instructions of the processor that the emulator lacks
  numa_calls,         ///< system calls that fail in the emulator
  first_touches,      ///< first touches; `detail`: the reason
  system_touches,     ///< first touches by the system; `detail`: the setting that reveals them
  unpicked_accesses,  ///< accesses that the hardware events in `detail` did not sample
  short_uses,         ///< number of uses of a page within 10 ms
  reads_and_writes,   ///< distinction between reads and writes
  small_objects,      ///< uses of small allocations, globals and stacks
  parts,              ///< all but one of `count` parts of large allocations
  hardware_samples,   ///< addresses sampled by hardware; `detail`: the reason
  other,              ///< from an older recording; `detail` is the text
};

/// Limit of the front end.
struct Unseen {
  UnseenKind kind = UnseenKind::other;
  std::string detail{};     ///< meaning depends on the kind; may be empty
  std::uint64_t count = 0;  ///< meaning depends on the kind; 0 if unused
  friend bool operator==(const Unseen&, const Unseen&) = default;
};

/// Return names such as "pages_without_lines". Files store them, so they are stable.
[[nodiscard]] std::string_view to_string(LossKind kind);
[[nodiscard]] std::string_view to_string(UnseenKind kind);
/// Return none for an unknown name.
[[nodiscard]] std::optional<LossKind> loss_kind_from(std::string_view name);
[[nodiscard]] std::optional<UnseenKind> unseen_kind_from(std::string_view name);

}  // namespace Atoll::recording
