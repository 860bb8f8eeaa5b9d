// Access patterns of a program's arrays, as Table 1 of the Shoal paper prints them, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "atoll/pattern/procedure.hpp"

namespace Atoll::cli {

/// Returns the table. Arrays of a group are one row, with their merged pattern.
[[nodiscard]] std::string patterns_table(const std::vector<ArrayUse>& arrays);
[[nodiscard]] nlohmann::json patterns_json(const std::vector<ArrayUse>& arrays);

}  // namespace Atoll::cli
