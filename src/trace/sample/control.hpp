// What `atoll` and the watched processes share while pages are withdrawn: the rate at which they
// are to be withdrawn, and a log of those that were. Fresh memory is zero.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace Atoll::trace::sample {

inline constexpr std::uint64_t kControlMagic = 0x31656c706d6173;  // "sample1"
inline constexpr char kControlVariable[] = "ATOLL_SAMPLING";      ///< in the environment: the path

/// One page that was withdrawn.
struct Withdrawn {
  /// Below kPageBits: address / 4096. Above: this page was chosen from this many pages that could
  /// have been withdrawn, at least 1.
  std::atomic<std::uint64_t> page;
  /// Low half: the process; high half: the entry's number, written last.
  std::atomic<std::uint64_t> owner;
};
inline constexpr int kPageBits = 36;
inline constexpr std::uint64_t kLogEntries = 1 << 16;

struct Control {
  std::uint64_t magic;
  std::uint64_t parts_apart;  ///< one of this many parts of a large allocation is watched
  /// A process may map this much anew of memory that libc would have used again.
  std::uint64_t fresh_bytes_per_second;
  std::uint64_t binds_threads;                  ///< 1: `atoll` binds threads, from outside
  std::atomic<std::uint64_t> pages_per_second;  ///< each process; 0: none
  std::atomic<std::uint64_t> cpu_ns;            ///< time that withdrawing took
  std::atomic<std::uint64_t> unsafe;  ///< allocations left alone, as their file had been closed
  std::atomic<std::uint64_t> left_to_libc;  ///< allocations that came too often
  std::atomic<std::uint64_t> logged;        ///< entries ever; entry i lies at i % kLogEntries
  Withdrawn log[kLogEntries];
};

/// The name of the thread that withdraws pages, which isn't a thread of the program's.
inline constexpr char kWithdrawingThread[] = "atoll-sampling";

/// A sample means that a page was in use within this time.
inline constexpr std::uint64_t kTickNs = 10'000'000;

}  // namespace Atoll::trace::sample
