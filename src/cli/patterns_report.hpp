// Access patterns of a program's arrays, in the format of the Shoal paper's Table 1 and as JSON.
#pragma once

#include <string>
#include <vector>

#include "atoll/base/json.hpp"
#include "atoll/pattern/procedure.hpp"

namespace Atoll::cli {

/// Returns the table. The arrays of a group share a row with their merged pattern.
[[nodiscard]] std::string patterns_table(const std::vector<ArrayUse>& arrays);
[[nodiscard]] Json patterns_json(const std::vector<ArrayUse>& arrays);

}  // namespace Atoll::cli
