// Execution of a plan: each thread runs its groups of tiles, and waits only for the groups that
// they depend on.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "atoll/stencil/plan.hpp"
#include "atoll/threads/team.hpp"
#include "stencil/queued.hpp"
#include "stencil/reduce.hpp"
#include "stencil/wait.hpp"

namespace Atoll::stencil {

/// Runs the chains of a program one after the other and reuses its memory.
class ChainRunner {
 public:
  /// If `timed`, measures each loop's time.
  ChainRunner(const Team& team, bool timed);

  /// Prepares the next run(). All arguments must outlive it. `results` has one element for each
  /// loop; it is null for loops without reductions.
  void prepare(std::span<const Queued> queue, const Plan& plan,
               std::vector<std::unique_ptr<LoopResults>>& results);
  /// Rethrows the exception of a kernel; the runner is unusable then. Doesn't combine the results.
  void run();

  /// Index of the loop whose kernel threw.
  [[nodiscard]] std::size_t failed_loop() const { return failed_loop_; }
  /// Number of tiles executed by the last run.
  [[nodiscard]] std::uint64_t tiles() const;
  /// Time of a loop in the last run, summed over all threads.
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
  void run_boxes(Thread& mine, std::size_t loop, const Tile& tile);
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

  // State of the current run.
  std::span<const Queued> queue_;
  const Plan* plan_ = nullptr;
  std::vector<std::unique_ptr<LoopResults>>* results_ = nullptr;
};

}  // namespace Atoll::stencil
