// First lines of a report: the recommendations, before their reasons.
#pragma once

#include <string>
#include <vector>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// Returns one line on the plan and its gain, or on the lack of a useful plan, and one on false
/// sharing if it is considerable. For samples the lines have no shares, since each share has an
/// interval, which the report prints further down. Returns an empty list if nothing was recorded.
[[nodiscard]] std::vector<std::string> recommendation_lines(const Advice& advice);

}  // namespace Atoll::profile
