// Magic calls: a guest of an emulator reports to the emulator's plugin by a system call number that
// no kernel has. The plugin may handle the call; its result is ignored.
//
//   syscall(kMagicCall, kind, payload, bytes, more, more_bytes)
//
// `kind` is an EventKind (recorder/region.hpp) with a payload in two parts, as for record::emit,
// at addresses of the guest; or a MagicKind. The call is made by the thread that it concerns.
#pragma once

#include <cstdint>

namespace Atoll::record::inside {

inline constexpr long kMagicCall = 0xA7011;
/// If this variable is in the guest's environment, with any value, events are reported by magic
/// calls.
inline constexpr char kMagicVariable[] = "ATOLL_MAGIC";

/// Calls that aren't events. `payload` is the call's second argument.
enum class MagicKind : std::uint32_t {
  thread_started = 0x1000,  ///< payload: its pthread_t, as a number. First call of a thread
  thread_ended,             ///< no arguments; last call of a thread
  forked,                   ///< no arguments: first call in the child of a fork
  ending,                   ///< no arguments: the process ends or calls exec
  exec_failed,              ///< no arguments: the exec failed
  task_loop,                ///< payload: a TaskLoopReport; more: the loop's name
  task_begun,               ///< payload: the task's number, by value; more: the loop's name
  task_ended,               ///< no arguments
  wait,                     ///< payload: a record::WaitReport
  placement,                ///< payload: words of a record; bytes: number of words; more: the
                            ///< RecordKind
  reduction,                ///< payload: the address, by value; bytes: the length
};

/// Arguments of atoll_task_loop().
struct TaskLoopReport {
  std::uint64_t iterations, chunk, fingerprint;
};

}  // namespace Atoll::record::inside
