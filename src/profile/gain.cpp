#include "profile/gain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "profile/thresholds.hpp"

namespace Atoll::profile {
namespace {

constexpr std::size_t kRounds = 100;
constexpr double kQuantile = 0.05;
/// Minimum number of windows of a phase to draw from. Fewer windows are the phase's beginning,
/// middle and end, so each is used once.
constexpr std::size_t kFewest = 8;
/// Maximum factors by which figures of the model are wrong: a thread's lines in flight, the
/// bandwidth of memories and links, and a thread's work outside memory accesses.
constexpr double kWaits = 1.25, kBandwidth = 1.25, kWork = 1.5;

/// The epochs of a phase, and the number of consecutive epochs to draw together. A window shows all
/// threads of the phase, so no draw has one thread twice and lacks another one.
struct EpochWindows {
  std::vector<std::size_t> epochs;
  std::size_t length = 1;
};
std::vector<EpochWindows> stretches_of(const MemoryTraffic& of) {
  std::vector<EpochWindows> phases(of.phases);
  for (std::size_t epoch = 0; epoch < of.phase_of_epoch.size(); ++epoch) {
    EpochWindows& phase = phases[of.phase_of_epoch[epoch]];
    phase.epochs.push_back(epoch);
    phase.length = std::max(phase.length, of.window_of_epoch[epoch]);
  }
  return phases;
}

}  // namespace

bool Gain::is_reliable() const {
  return middle >= kMinGain && low > 0;
}

std::string Gain::in_words() const {
  const auto percent = [](double share) { return fmt::format("{:.0f}", 100 * share + 0.0); };
  return fmt::format("{} % less time (90 % sure: {} to {} %)", percent(middle), percent(low),
                     percent(high));
}

Gain gain_of(const PredictedTime& time, const DrawnTraffic& before, const DrawnTraffic& after) {
  const std::vector<EpochWindows> phases = stretches_of(*before.phases);
  std::minstd_rand random(1);
  const auto factor = [&](double most) {
    const double exponent = static_cast<double>(random() % 2001) / 1000 - 1;  // -1 to 1
    return std::pow(most, exponent);
  };
  std::vector<double> gains;
  for (std::size_t round = 0; round < kRounds; ++round) {
    PhasedTraffic drawn_before(*before.phases), drawn_after(*after.phases);
    for (std::size_t phase = 0; phase < phases.size(); ++phase) {
      const auto& [epochs, length] = phases[phase];
      const bool are_few = epochs.size() < kFewest * length;
      std::size_t from = 0;
      for (std::size_t i = 0; i < epochs.size(); ++i) {
        if (i % length == 0) from = are_few ? i : random() % epochs.size();
        const std::size_t epoch = epochs[(from + i % length) % epochs.size()];
        drawn_before.add_phase(phase, before.by_epoch, epoch);
        drawn_after.add_phase(phase, after.by_epoch, epoch);
      }
    }
    const TimeScales scales{factor(kWaits), factor(kBandwidth), factor(kWork)};
    const double seconds = time.seconds(drawn_before, *before.phases, scales);
    if (seconds > 0)
      gains.push_back(1 - time.seconds(drawn_after, *after.phases, scales) / seconds);
  }
  if (gains.empty()) return {};
  std::ranges::sort(gains);
  const auto at = [&](double part) {
    return gains[static_cast<std::size_t>(part * static_cast<double>(gains.size() - 1) + 0.5)];
  };
  return {.low = at(kQuantile), .middle = at(0.5), .high = at(1 - kQuantile)};
}

}  // namespace Atoll::profile
