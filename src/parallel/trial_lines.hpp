// Lines that a program writes while its schedule is tried (apply/try_schedule.hpp).
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// In the environment of a program whose schedule is tried: the file to which it adds lines.
inline constexpr char kTrialVariable[] = "ATOLL_TRIAL";

/// Returns "KIND VALUE", and the name behind it if there is one, with a line break.
[[nodiscard]] std::string trial_line(std::string_view kind, std::string_view value,
                                     std::string_view name = {});

/// Adds "asked stays LOOP" or "asked packed LOOP", once for a process.
void tell_followed(std::string_view loop, bool is_packed);

/// Adds whole lines to the file; nothing happens if this is no trial, or if they can't be written.
void add_to_trial(std::string_view lines) noexcept;

}  // namespace Atoll
