// Real-time limits of waits for a live program.
#pragma once

#include <time.h>

#include <cstdint>

namespace Atoll::simulate {

/// Number of polls of a thread before the poll loop sleeps between polls.
inline constexpr int kYields = 50;

inline constexpr std::uint64_t kMillisecond = 1'000'000;
/// A thread that has slept this long for an unknown reason, while no other thread ran, counts as
/// asleep. The limit is kUnseenWait if the thread may wait for a thread held by the simulation (for
/// an internal lock of the emulator or libc).
inline constexpr std::uint64_t kUnseenSleep = 20 * kMillisecond, kUnseenWait = kMillisecond;
/// Shortest interval between two checks of all threads. It grows up to kUnseenWait.
inline constexpr std::uint64_t kShortestPause = kMillisecond / 20;
/// Limits of a wait for an event that is sure to happen if the program behaves as libraries do.
/// kSureWait applies both to real time and to the program's processor time, as the computer may be
/// busy. kIdleWait applies to real time alone.
inline constexpr std::uint64_t kSureWait = 2'000 * kMillisecond, kIdleWait = 5 * kSureWait;

/// Limit for spinning threads, which wait in a loop: they run for this long in real time, and then
/// for as long in processor time, without a record. It applies if other threads are held by the
/// simulation.
inline constexpr std::uint64_t kSpin = 250 * kMillisecond;

/// Real time for which records are still simulated after the program was stopped: loops may be far
/// ahead.
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
