// The line of a terminal that Progress and Activity draw.
#pragma once

#include <chrono>
#include <string>

namespace Atoll {

/// Work that takes less time shows no line.
inline constexpr std::chrono::nanoseconds kFirstLineAfter = std::chrono::seconds(1);
inline constexpr std::chrono::nanoseconds kLineEvery = std::chrono::milliseconds(200);

/// Returns true if standard error is a terminal and output is not silenced.
[[nodiscard]] bool shows_progress_line();
/// Replaces the line by `what`, of which at most 60 characters are shown, and `state`.
void draw_progress_line(const std::string& what, const std::string& state);
/// Removes the line, if one is drawn. Thread-safe.
void clear_progress_line();

}  // namespace Atoll
