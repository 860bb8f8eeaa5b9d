// What `atoll` and the watched processes share while pages are withdrawn: the rate that they are to
// be withdrawn at, and a log of those that were. Fresh memory is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::trace::sample {

inline constexpr std::uint64_t kControlMagic = 0x31656c706d6173;  // "sample1"
inline constexpr char kControlVariable[] = "ATOLL_SAMPLING";      ///< in the environment: the path

/// One page that was withdrawn: pages are below 2^52, processes below 2^32.
struct Withdrawn {
  std::atomic<std::uint64_t> page;  ///< address / 4096
  std::atomic<std::uint64_t> pid;
};
inline constexpr std::uint64_t kLogEntries = 1 << 16;

struct Control {
  std::uint64_t magic;
  std::uint64_t blocks_apart;  ///< of so many 2 MiB blocks of large allocations one is watched
  std::atomic<std::uint64_t> pages_per_second;  ///< each process; 0: none
  std::atomic<std::uint64_t> backed_pages;      ///< that can be withdrawn, of all processes
  std::atomic<std::uint64_t> cpu_ns;            ///< that withdrawing took
  std::atomic<std::uint64_t> unsafe;  ///< allocations left alone, their file having been closed
  std::atomic<std::uint64_t> logged;  ///< entries ever; entry i lies at i % kLogEntries
  Withdrawn log[kLogEntries];
};

/// Withdrawing goes on every so often: what "at the same time" means for a share of the pages.
inline constexpr std::uint64_t kTickNs = 10'000'000;

}  // namespace Atoll::trace::sample
