// The first words of a report: what to do, before why.
#pragma once

#include <string>
#include <vector>

#include "profile/advise.hpp"

namespace Atoll::profile {

/// A line on what the advice's plan does and gains, or that nothing should change; and one on
/// false sharing where it matters. Of samples it names no shares: each has an interval, and is said
/// further down. Without lines: nothing was recorded.
[[nodiscard]] std::vector<std::string> what_to_do(const Advice& advice);

}  // namespace Atoll::profile
