// The phases of a run: epochs in which threads do the same.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/page_uses.hpp"

namespace Atoll::profile {

/// An epoch or a phase in which one thread has this share of the traffic belongs to it alone.
inline constexpr double kAlone = 0.8;

struct RunPhases {
  std::size_t count = 1;
  std::vector<std::uint16_t> of_epoch;
  std::vector<bool> is_alone;  ///< by phase: one thread has nearly all traffic
  /// By epoch: epochs in which each thread of the phase runs. A small computer shows by turns, in
  /// epochs that are alike, the threads that would run at once.
  std::vector<std::size_t> window;
};

/// Puts epochs into one phase if the same thread is alone in them, or several are active, and if
/// they use the same object most. Filling pages counts for no epoch.
[[nodiscard]] RunPhases run_phases(const Profile& profile, const PagesByNode& pages,
                                   const PageUses& uses, std::size_t epochs);

}  // namespace Atoll::profile
