// Predicted gains of following a schedule, as text and JSON.
#pragma once

#include "atoll/base/json.hpp"
#include "atoll/plan/schedule.hpp"

namespace Atoll::cli {

/// Prints a line for each of the loop's predictions.
void print_predictions(const ScheduledLoop& loop);

/// Returns {"alone": …, "packed": …}, with null for unknown values.
[[nodiscard]] Json json_of_predictions(const ScheduledLoop& loop);

}  // namespace Atoll::cli
