// Schedule files: a schedule from one run is available to later runs [affinity §2].
// docs/schedule-file.md describes the format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "atoll/machine/machine.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll {

/// Writes the file atomically: completely or not at all. Throws Error (input) for a schedule that
/// check() rejects or a path that can't be written to, Error (failed) if writing fails.
void write_schedule(const Schedule& schedule, const std::string& path);

/// Reads a file. Throws Error (input), which names the file, unless it contains a complete schedule
/// with each task of each loop once.
[[nodiscard]] Schedule read_schedule(const std::string& path);

/// Reads a schedule from a file's bytes; `where` names it in errors.
[[nodiscard]] Schedule schedule_from_bytes(std::span<const std::byte> bytes,
                                           std::string_view where);

/// Throws Error (input), which names `where` and the thread, if the machine doesn't have a thread's
/// place.
void check_places(const Schedule& schedule, const Machine& machine, std::string_view where);

}  // namespace Atoll
