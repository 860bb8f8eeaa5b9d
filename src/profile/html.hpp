// The report as one self-contained HTML page: `atoll report P --html FILE`.
#pragma once

#include <span>
#include <string>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// The page, for the machine that `advice` was made for: at most 20 MB, whatever the profile's
/// size; what had to be summed for that says so in the page. `commands` make and use the plan.
[[nodiscard]] std::string html_report(const Profile& profile, const Advice& advice,
                                      std::span<const std::string> commands);
/// The page as a file, which is there whole or not at all. Throws Error (input) for a place that
/// can't be written to, Error (failed) e.g. when the disk is full.
void write_html_report(const Profile& profile, const Advice& advice,
                       std::span<const std::string> commands, const std::string& path);

}  // namespace Atoll::profile
