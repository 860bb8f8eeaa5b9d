// How sure a plan's predicted gain is: stretches of the recording are drawn with replacement, and
// figures of the model from what they may be.
#pragma once

#include <string>

#include "profile/predicted_time.hpp"

namespace Atoll::profile {

/// The part of the time that a plan saves: negative if it takes longer.
struct Gain {
  double low = 0, middle = 0, high = 0;  ///< 90 % of the draws are between the ends
  /// True if the gain is worth a plan and its sign is sure.
  [[nodiscard]] bool is_reliable() const;
  /// Returns "9 % less time (90 % sure: 4 to 15 %)".
  [[nodiscard]] std::string in_words() const;
};

/// Traffic of a placement by epochs, and what it was made from, by phases.
struct DrawnTraffic {
  PhasedTraffic by_epoch;
  const MemoryTraffic* phases = nullptr;
};

/// Compares two placements of one run. Epochs are drawn from those of the same phase.
[[nodiscard]] Gain gain_of(const PredictedTime& time, const DrawnTraffic& before,
                           const DrawnTraffic& after);

}  // namespace Atoll::profile
