// How long is waited, in real time, for a program that runs.
#pragma once

#include <time.h>

#include <cstdint>

namespace Atoll::simulate {

/// So often a thread is looked at before that takes pauses.
inline constexpr int kYields = 50;

inline constexpr std::uint64_t kMillisecond = 1'000'000;
/// A thread that has slept for so long while no other one ran, and nothing tells for what, sleeps:
/// less if it may wait for one that waits to be simulated (for a lock of the emulator's or of
/// libc's own).
inline constexpr std::uint64_t kUnseenSleep = 20 * kMillisecond, kUnseenWait = kMillisecond;
/// Between two looks at all of a program's threads; longer, up to kUnseenWait, each time.
inline constexpr std::uint64_t kShortestPause = kMillisecond / 20;
/// For so long is waited for what is sure to happen, if the program does as libraries do: the
/// program must have had as much processor time, too, as the computer may be busy with others; and
/// so long whatever it had.
inline constexpr std::uint64_t kSureWait = 2'000 * kMillisecond, kIdleWait = 5 * kSureWait;

/// A thread that has run for so long, and once more for so long of its own processor time, and told
/// nothing, waits in a loop, if others wait for the simulation.
inline constexpr std::uint64_t kSpin = 250 * kMillisecond;

/// So long what a program did until it was stopped is simulated: loops may be far ahead.
inline constexpr std::uint64_t kAfterStop = 500 * kMillisecond;

inline std::uint64_t now_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline void pause_shortly() {
  const timespec moment = {0, 20'000};
  ::nanosleep(&moment, nullptr);
}

}  // namespace Atoll::simulate
