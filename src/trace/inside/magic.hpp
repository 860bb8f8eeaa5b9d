// A guest of an emulator tells the emulator's plugin what the recorder should know by a system call
// that no kernel has. The plugin answers it or not; its result is ignored.
//
//   syscall(kMagicCall, kind, payload, bytes, more, more_bytes)
//
// kind is an EventKind (recorder/region.hpp), its payload in two parts as for recorder::emit, at
// addresses of the guest; or a MagicKind. The call is made by the thread that it is about.
#pragma once

#include <cstdint>

namespace Atoll::trace::inside {

inline constexpr long kMagicCall = 0xA7011;
/// If this variable is in the guest's environment (with any value), events go as magic calls.
inline constexpr char kMagicVariable[] = "ATOLL_MAGIC";

/// Calls that aren't events. The second argument is `payload`'s place.
enum class MagicKind : std::uint32_t {
  thread_started = 0x1000,  ///< payload: its pthread_t, as a number. A thread's first
  thread_ended,             ///< no arguments; the thread's last
  forked,                   ///< no arguments: in a fork's child, its first
  ending,                   ///< no arguments: the process ends or execs
  went_on,                  ///< no arguments: the exec failed
  task_loop,                ///< payload: a TaskLoopTold; more: the loop's name
  task_begun,               ///< payload: the task's number, as a number; more: the loop's name
  task_ended,               ///< no arguments
  wait,                     ///< payload: a recorder::WaitTold
  placement,                ///< payload: words of a record, their number; more: its RecordKind
  reduction,                ///< payload: the first byte's address, as a number; bytes: how many
};

/// A loop of tasks, as atoll_task_loop() tells of it.
struct TaskLoopTold {
  std::uint64_t iterations, chunk, fingerprint;
};

}  // namespace Atoll::trace::inside
