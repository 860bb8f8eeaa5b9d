// The report as one self-contained HTML page: `atoll report P --html FILE`.
#pragma once

#include <span>
#include <string>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// Returns the page, for the machine that `advice` was made for. It has at most 20 MB, whatever the
/// profile's size; the page says what had to be summed for that. `commands` make and use the plan.
[[nodiscard]] std::string html_report(const Profile& profile, const Advice& advice,
                                      std::span<const std::string> commands);
/// Writes the page to a file, whole or not at all. Throws Error (input) for a place that can't be
/// written to, Error (failed) e.g. when the disk is full.
void write_html_report(const Profile& profile, const Advice& advice,
                       std::span<const std::string> commands, const std::string& path);

}  // namespace Atoll::profile
