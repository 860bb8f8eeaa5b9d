// Counts of samples by process, thread and page, and the thread that first touched each page.
// Depends on records only, not on the system.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "atoll/base/hash.hpp"
#include "recording/sample/ring.hpp"

namespace Atoll::recording::sample {

/// Address space of a process, from its fork or its last exec().
struct Space {
  std::int32_t pid = 0, parent_pid = 0;
  std::uint64_t started_ns = 0;  ///< CLOCK_MONOTONIC
};

/// Thread in an address space. Another thread may reuse the tid of one that has ended.
struct SampledThread {
  std::uint32_t space = 0;
  std::int32_t tid = 0, creator_tid = 0;
  std::uint64_t started_ns = 0, ended_ns = 0;  ///< 0: not observed
  bool withdraws = false;  ///< withdraws pages for `atoll`, so it is not a thread of the program
};

/// Epoch of the recording in which samples were taken.
struct Epoch {
  std::uint32_t number = 0, generation = 0;
  friend bool operator==(const Epoch&, const Epoch&) = default;
};

/// Samples of one thread on one page.
struct SampledPage {
  std::uint64_t reads = 0, writes = 0;  ///< sums of the samples' weights
  std::uint64_t first_ns = 0;
  std::uint64_t epochs = 0;  ///< bit i: sampled in epoch i of generation epoch_generation
  std::uint32_t epoch_generation = 0;
  struct Uses {
    Epoch epoch;
    std::uint64_t uses = 0;
  };
  std::vector<Uses> uses;  ///< by epoch, ascending, without first touches; only of kept pages
};

class Counts {
 public:
  /// Adds a page-fault record: threads, processes, first touches, and counts. Contract: records are
  /// in order of time, over all rings. A sample counts as `weight` times its period. `touches` is
  /// true if the fault made the system allocate the page.
  void add_fault(const Record& record, std::uint64_t weight, bool touches = true, Epoch epoch = {});
  /// Adds a record of an access that the hardware sampled.
  void add_access(const Record& record, Epoch epoch = {});

  static constexpr std::size_t kMaxUses = std::size_t{1} << 17;

  struct Key {
    std::uint32_t thread;  ///< for first touches: the space
    std::uint64_t page;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const { return golden_hash(key.page, key.thread); }
  };

  [[nodiscard]] const std::vector<Space>& spaces() const { return spaces_; }
  [[nodiscard]] const std::vector<SampledThread>& threads() const { return threads_; }
  [[nodiscard]] const std::unordered_map<Key, SampledPage, Hash>& pages() const { return pages_; }
  [[nodiscard]] std::uint64_t samples() const { return samples_; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

  /// Returns the thread that made the system allocate `page` (address / 4096): the thread of the
  /// page's first fault, or else of the first fault in the aligned 16 pages around it (the kernel
  /// maps several pages of a file at a fault), or else in its aligned 2 MiB (a huge page). Returns
  /// nothing if there was no such fault.
  [[nodiscard]] std::optional<std::uint32_t> first_toucher(std::uint32_t space,
                                                           std::uint64_t page) const;
  /// Returns true if the first touch of the fault's page was observed.
  [[nodiscard]] bool touched(const Sample& fault) const;
  struct Touch {
    std::uint32_t thread;
    std::uint64_t time_ns;
    std::uint64_t page;  ///< page of the fault
  };
  /// As first_toucher(), with the time.
  [[nodiscard]] std::optional<Touch> first_touch(std::uint32_t space, std::uint64_t page) const;
  /// Returns the space of process `pid` at `time_ns`.
  [[nodiscard]] std::optional<std::uint32_t> space_at(std::int32_t pid,
                                                      std::uint64_t time_ns) const;
  /// Returns the thread that a record refers to.
  std::uint32_t thread_of(std::int32_t pid, std::int32_t tid, std::uint64_t time_ns);

 private:
  std::uint32_t space_of(std::int32_t pid, std::uint64_t time_ns);
  void task(const Task& task);
  void named(const Named& named);
  void count(const Sample& sample, std::uint64_t weight, bool touches, Epoch epoch);
  [[nodiscard]] bool keeps(std::uint64_t page) const;
  void keep_fewer();

  std::vector<Space> spaces_;
  std::vector<SampledThread> threads_;
  std::unordered_map<std::int32_t, std::uint32_t> space_of_pid_;   ///< current space of each pid
  std::unordered_map<std::int32_t, std::uint32_t> thread_of_tid_;  ///< current thread of each tid
  std::unordered_map<Key, SampledPage, Hash> pages_;
  /// First touches by page, and by the larger blocks of kBlocks.
  std::array<std::unordered_map<Key, Touch, Hash>, 3> first_touches_;
  std::uint64_t samples_ = 0, lost_ = 0;
  /// Uses by epoch are kept for one page in 2^thinned_, which limits them to kMaxUses.
  std::uint32_t thinned_ = 0;
  std::size_t kept_ = 0;
};

}  // namespace Atoll::recording::sample
