// The kernel's files about a thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/live_streams.hpp"

namespace Atoll::trace {

/// Opens a file to read it; below 0: there is none.
[[nodiscard]] int opened(const std::string& path);
[[nodiscard]] std::string path_of(int pid, int tid, const char* name);
/// Text of a thread's file; "" if there is no such file.
[[nodiscard]] std::string text_of(int pid, int tid, const char* name);

/// Letter for what a thread does, of its file `stat`; 0: there is no such thread.
[[nodiscard]] char letter_in(std::string_view stat);
[[nodiscard]] LiveStreams::State state_by(char letter);
/// The processor time that a thread has had, by its file `schedstat`.
[[nodiscard]] std::uint64_t time_in(const std::string& schedstat);
/// Number of times that a thread was scheduled, by the same file; nothing if the kernel does not
/// count.
[[nodiscard]] std::optional<std::uint64_t> times_scheduled(std::string_view schedstat);
/// True if the file `syscall` says that the thread is blocked in a futex wait. Without a time
/// limit, only another thread, or a signal, ends it.
[[nodiscard]] bool waits_for_futex(std::string_view syscall_file, bool may_have_limit = false);

}  // namespace Atoll::trace
