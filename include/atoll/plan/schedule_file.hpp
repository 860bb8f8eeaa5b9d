// Schedules in files: what one run finds out is there for the next ones [affinity §2]. The format
// is in docs/schedule-file.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// Writes the file whole or not at all. Throws Error (input) for a schedule that check() refuses or
/// a path that can't be written to, Error (failed) when writing fails.
void write_schedule(const Schedule& schedule, const std::string& path);

/// Throws Error (input), naming the file, unless it holds a schedule from beginning to end, with
/// each task of each loop once.
[[nodiscard]] Schedule read_schedule(const std::string& path);

/// The same from a file's bytes; `where` names it in errors.
[[nodiscard]] Schedule schedule_from_bytes(std::span<const std::byte> bytes,
                                           std::string_view where);

/// Throws Error (input), naming `where` and the thread, if a thread's place isn't one of the
/// machine's.
void check_places(const Schedule& schedule, const Machine& machine, std::string_view where);

}  // namespace Atoll
