// The first lines of a report: what to do, before why.
#pragma once

#include <string>
#include <vector>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// Returns a line on what the advice's plan does and gains, or that nothing should change, and one
/// on false sharing where it matters. For samples it names no shares: each has an interval, which
/// is reported further down. Returns no lines if nothing was recorded.
[[nodiscard]] std::vector<std::string> what_to_do(const Advice& advice);

}  // namespace Atoll::profile
