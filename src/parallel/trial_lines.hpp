// Lines that a program writes while its schedule is tried (apply/try_schedule.hpp).
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// Environment variable with the path of the file that the program appends lines to.
inline constexpr char kTrialVariable[] = "ATOLL_TRIAL";

/// Returns the line "KIND VALUE NAME"; without a name, "KIND VALUE".
[[nodiscard]] std::string trial_line(std::string_view kind, std::string_view value,
                                     std::string_view name = {});

/// Appends "asked stays LOOP" or "asked packed LOOP", once per process.
void print_followed(std::string_view loop, bool is_packed);

/// Appends whole lines to the file. Does nothing if no schedule is being tried or the write fails.
void add_to_trial(std::string_view lines) noexcept;

}  // namespace Atoll
