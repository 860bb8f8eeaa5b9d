#include "cli/prediction_text.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/profile_text.hpp"

namespace Atoll::cli {
namespace {

void print(const char* what, const std::optional<SchedulePrediction>& predicted) {
  if (!predicted) return;
  const auto runs = predicted->pays_after();
  fmt::print("  {:<41}{:>11.2f}  {}\n",
             fmt::format("{} time, {}", predicted->is_measured ? "measured" : "predicted", what),
             predicted->ratio(),
             !runs        ? "not followed"
             : *runs == 1 ? "pays at once"
                          : fmt::format("pays after {}", counted(*runs, "run")));
}

Json json_of(const std::optional<SchedulePrediction>& predicted) {
  if (!predicted) return nullptr;
  const auto runs = predicted->pays_after();
  return {{"ratio", predicted->ratio()},
          {"measured", predicted->is_measured},
          {"plain_seconds", predicted->plain_seconds},
          {"followed_seconds", predicted->followed_seconds},
          {"prepare_seconds", predicted->prepare_seconds},
          {"pays", predicted->pays()},
          {"pays_after_runs", runs ? Json(*runs) : Json()}};
}

}  // namespace

void print_predictions(const ScheduledLoop& loop) {
  print("tasks in another order", loop.predicted);
  print("data packed as well", loop.predicted_packed);
}

Json json_of_predictions(const ScheduledLoop& loop) {
  return {{"alone", json_of(loop.predicted)}, {"packed", json_of(loop.predicted_packed)}};
}

}  // namespace Atoll::cli
