// Bootstrap interval of a plan's predicted gain. Windows of the recording are drawn with
// replacement, and the model's figures are drawn from their ranges of error.
#pragma once

#include <string>

#include "profile/predicted_time.hpp"

namespace Atoll::profile {

/// Fraction of the time that a plan saves; negative if the program takes longer.
struct Gain {
  double low = 0, middle = 0, high = 0;  ///< low to high contains 90 % of the draws
  /// True if the gain is large enough for a plan and its interval is above 0.
  [[nodiscard]] bool is_reliable() const;
  /// Returns "9 % less time (90 % sure: 4 to 15 %)".
  [[nodiscard]] std::string in_words() const;
};

/// Traffic of a placement by epoch, and the memory traffic by phase that it was computed from.
struct DrawnTraffic {
  PhasedTraffic by_epoch;
  const MemoryTraffic* phases = nullptr;
};

/// Compares two placements of one run. Each epoch is replaced by a drawn epoch of the same phase.
[[nodiscard]] Gain gain_of(const PredictedTime& time, const DrawnTraffic& before,
                           const DrawnTraffic& after);

}  // namespace Atoll::profile
