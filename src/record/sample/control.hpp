// Memory shared by `atoll` and the watched processes while pages are withdrawn: the rate of
// withdrawals, and a log of withdrawn pages. Fresh memory is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::record::sample {

inline constexpr std::uint64_t kControlMagic = 0x31656c706d6173;  // "sample1"
inline constexpr char kControlVariable[] = "ATOLL_SAMPLING";      ///< environment variable: path

/// Withdrawn page.
struct Withdrawn {
  /// Lower kPageBits: address / 4096. Upper bits: number of pages that this page represents, at
  /// least 1. It was chosen from that many pages that could have been withdrawn.
  std::atomic<std::uint64_t> page;
  /// Lower half: pid; upper half: the entry's number, written last.
  std::atomic<std::uint64_t> owner;
};
inline constexpr int kPageBits = 36;
inline constexpr std::uint64_t kLogEntries = 1 << 16;

struct Control {
  std::uint64_t magic;
  std::uint64_t parts_apart;  ///< one of this many parts of a large allocation is watched
  /// Limit for memory that a process maps anew, while libc alone would have reused freed memory.
  std::uint64_t fresh_bytes_per_second;
  std::uint64_t binds_threads;                  ///< 1: `atoll` binds threads from its own process
  std::atomic<std::uint64_t> pages_per_second;  ///< rate of each process; 0: none
  std::atomic<std::uint64_t> cpu_ns;            ///< processor time of withdrawing
  std::atomic<std::uint64_t> unsafe;  ///< allocations that were not watched, as the program had
                                      ///< closed the file
  std::atomic<std::uint64_t> left_to_libc;  ///< allocations not watched, as their rate was too high
  std::atomic<std::uint64_t> logged;        ///< entries so far; entry i is at i % kLogEntries
  Withdrawn log[kLogEntries];
};

/// Name of the thread that withdraws pages. It is not a thread of the program.
inline constexpr char kWithdrawingThread[] = "atoll-sampling";

/// Time resolution of samples: a sampled page was used within this time.
inline constexpr std::uint64_t kTickNs = 10'000'000;

}  // namespace Atoll::record::sample
