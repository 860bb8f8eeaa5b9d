// Phases of a run: sets of epochs with the same activity of threads.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/page_uses.hpp"

namespace Atoll::profile {

/// Minimum share of traffic with which a single thread counts as alone in an epoch or a phase.
inline constexpr double kAlone = 0.8;

struct RunPhases {
  std::size_t count = 1;
  std::vector<std::uint16_t> of_epoch;
  std::vector<bool> is_alone;  ///< by phase: one thread has nearly all traffic
  /// By epoch: number of epochs in which all threads of the phase run once. A computer with few
  /// cores runs, in successive epochs that are alike, the threads that would otherwise run at once.
  std::vector<std::size_t> window;
};

/// Divides the run into phases. Two epochs are in one phase if the same thread is alone in both, or
/// several threads are active in both, and if they have the same main object. Filling of pages
/// isn't counted.
[[nodiscard]] RunPhases run_phases(const Profile& profile, const PagesByNode& pages,
                                   const PageUses& uses, std::size_t epochs);

}  // namespace Atoll::profile
