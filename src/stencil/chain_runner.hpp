// Execution of a plan: each thread runs its groups of tiles, and waits only for the groups that
// they depend on.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "atoll/threads/team.hpp"
#include "stencil/located_loop.hpp"
#include "stencil/reduce.hpp"
#include "stencil/wait.hpp"

namespace Atoll::stencil {

/// Runs the chains of a program one after the other and reuses its memory.
class ChainRunner {
 public:
  /// If `timed`, measures each loop's time.
  ChainRunner(const Team& team, bool timed);

  /// Begins a chain, which one or several calls of run() execute. `results` has one element for
  /// each loop of the queue; it is null for loops without reductions. The arguments must outlive
  /// the chain.
  void begin(std::span<const Queued> queue, std::vector<std::unique_ptr<LoopResults>>& results);
  /// Runs a plan of loops of the queue. `base` is added to its coordinates in the outermost
  /// dimension. Rethrows the exception of a kernel; the runner is unusable then. Doesn't combine
  /// the results.
  void run(const Plan& plan, std::span<const LocatedLoop> loops, int base = 0);

  /// Index of the loop whose kernel threw, if one did.
  [[nodiscard]] std::optional<std::size_t> failed_loop() const {
    return failure_ ? std::optional(failed_loop_) : std::nullopt;
  }
  /// Number of tiles of the chain that have run.
  [[nodiscard]] std::uint64_t tiles() const;
  /// Time of a loop of the chain, summed over all threads.
  [[nodiscard]] double seconds(std::size_t loop) const;

 private:
  struct alignas(64) Thread {
    int number = 0;
    detail::Worker worker;
    std::vector<std::vector<std::uint64_t>> buffers;
    std::vector<double> seconds;
    std::uint64_t tiles = 0;
    std::size_t loop = 0;  ///< current loop
  };
  using Tile = std::array<Plan::Cut::Tile, kMaxDimensions>;  ///< of a loop, for each level

  void run_thread(Thread& mine);
  /// Returns false if another thread has failed.
  bool run_segment(Thread& mine, const Plan::Segment& segment, std::size_t first_group);
  void run_group(Thread& mine, const Plan::Segment& segment, const Plan::Group& group);
  void run_tile(Thread& mine, const Plan::Segment& segment,
                const std::array<int, kMaxDimensions>& tile);
  void run_boxes(Thread& mine, const LocatedLoop& located, const Tile& tile);
  void stop_all();

  const Team& team_;
  const bool timed_;
  const int polls_;
  std::vector<Thread> threads_;
  std::vector<Word> done_;    ///< for each group, the number of the last run that completed it
  std::uint32_t number_ = 0;  ///< number of the current run
  TeamBarrier barrier_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_loop_ = 0;

  // State of the current chain and run.
  std::span<const Queued> queue_;
  std::vector<std::unique_ptr<LoopResults>>* results_ = nullptr;
  const Plan* plan_ = nullptr;
  std::span<const LocatedLoop> loops_;
  int base_ = 0;
};

}  // namespace Atoll::stencil
