// What following a schedule is predicted to be worth, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "atoll/plan/schedule.hpp"

namespace Atoll::cli {

/// Prints a line for each of the loop's predictions.
void print_predictions(const ScheduledLoop& loop);

/// {"alone": …, "packed": …}; null for what isn't known.
[[nodiscard]] nlohmann::ordered_json json_of_predictions(const ScheduledLoop& loop);

}  // namespace Atoll::cli
