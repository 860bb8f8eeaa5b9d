// Notes on the recording that a reader of the advice needs.
#pragma once

#include <string>
#include <vector>

#include "profile/predicted_time.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns notes, one line each: the number of threads and cores, the local share behind last-level
/// caches, and whether set-up dominates the recording.
[[nodiscard]] std::vector<std::string> notes_on_recording(const recording::Recording& run,
                                                          const Machine& machine,
                                                          const Summary& summary,
                                                          const PredictedTime& time,
                                                          const PhasedTraffic& as_is);

}  // namespace Atoll::profile
