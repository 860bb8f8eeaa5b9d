// What the reader of advice has to know about the recording.
#pragma once

#include <string>
#include <vector>

#include "profile/predicted_time.hpp"
#include "profile/summary.hpp"

namespace Atoll::profile {

/// Returns lines on the number of threads and cores, and on set-up that dominates the recording.
[[nodiscard]] std::vector<std::string> notes_on_recording(const trace::Recording& run,
                                                          const Machine& machine,
                                                          const Summary& summary,
                                                          const PredictedTime& time,
                                                          const PhasedTraffic& as_is);

}  // namespace Atoll::profile
