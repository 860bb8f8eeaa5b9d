// The kernel's files about a thread, /proc/PID/task/TID/*.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "recording/streams/live_streams.hpp"

namespace Atoll::recording {

/// Opens a file for reading; returns a negative number if it does not exist.
[[nodiscard]] int opened(const std::string& path);
[[nodiscard]] std::string path_of(int pid, int tid, const char* name);
/// Returns the text of a thread's file; "" if it does not exist.
[[nodiscard]] std::string text_of(int pid, int tid, const char* name);

/// Returns the state letter in the text of `stat`; 0 if there is no such thread.
[[nodiscard]] char letter_in(std::string_view stat);
[[nodiscard]] LiveStreams::State state_by(char letter);
/// Returns the processor time of a thread in ns, from the text of `schedstat`.
[[nodiscard]] std::uint64_t time_in(const std::string& schedstat);
/// Returns the number of times that a thread was scheduled, from the text of `schedstat`; nothing
/// if the kernel does not count.
[[nodiscard]] std::optional<std::uint64_t> times_scheduled(std::string_view schedstat);
/// Returns true if the text of `syscall` shows that the thread is blocked in a futex wait. Unless
/// `may_have_limit`, the wait must have no timeout, so only another thread or a signal can end it.
[[nodiscard]] bool waits_for_futex(std::string_view syscall_file, bool may_have_limit = false);

}  // namespace Atoll::recording
