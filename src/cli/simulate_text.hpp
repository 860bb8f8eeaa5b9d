// Formats a simulated run for a terminal of 80 columns.
#pragma once

#include <string>
#include <vector>

#include "atoll/simulate/simulate.hpp"

namespace Atoll::cli {

[[nodiscard]] std::vector<std::string> simulate_text(const simulate::Result& result);

}  // namespace Atoll::cli
