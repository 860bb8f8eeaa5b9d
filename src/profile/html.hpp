// The report as one self-contained HTML page: `atoll report P --html FILE`.
#pragma once

#include <span>
#include <string>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// Returns the page, for the machine that `advice` was made for. The page has at most 20 MB,
/// whatever the profile's size, and lists the data that were aggregated for that. `commands` make
/// the plan and run the program with it.
[[nodiscard]] std::string html_report(const Profile& profile, const Advice& advice,
                                      std::span<const std::string> commands);
/// Writes the page to a file atomically: completely or not at all. Throws Error (input) if `path`
/// can't be written to, Error (failed) e.g. if the disk is full.
void write_html_report(const Profile& profile, const Advice& advice,
                       std::span<const std::string> commands, const std::string& path);

}  // namespace Atoll::profile
