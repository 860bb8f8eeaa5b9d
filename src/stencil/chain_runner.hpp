// Running a plan: each thread runs its groups of tiles, and waits only for the groups that they
// depend on.
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

/// Runs the chains of a program, one after the other; its memory is used again.
class ChainRunner {
 public:
  /// `timed`: each loop's seconds are counted.
  ChainRunner(const Team& team, bool timed);

  /// Makes room for a run, which follows. All arguments outlive it. `results` has an entry for each
  /// loop, those with reductions have a value.
  void prepare(std::span<const Queued> queue, const Plan& plan,
               std::vector<std::unique_ptr<LoopResults>>& results);
  /// Throws what a kernel threw; nothing can be run afterwards. The results are not combined yet.
  void run();

  /// The loop whose kernel threw.
  [[nodiscard]] std::size_t failed_loop() const { return failed_loop_; }
  /// How many tiles were run last time.
  [[nodiscard]] std::uint64_t tiles() const;
  /// All threads' seconds in a loop, last time.
  [[nodiscard]] double seconds(std::size_t loop) const;

 private:
  struct alignas(64) Thread {
    int number = 0;
    detail::Worker worker;
    std::vector<std::vector<std::uint64_t>> buffers;
    std::vector<double> seconds;
    std::uint64_t tiles = 0;
    std::size_t loop = 0;  ///< that it is in
  };
  using Intervals = std::array<const Plan::Interval*, kMaxDimensions>;  ///< of each level

  void run_thread(Thread& mine);
  /// Returns false if another thread has failed.
  bool run_segment(Thread& mine, const Plan::Segment& segment, std::size_t first_group);
  void run_group(Thread& mine, const Plan::Segment& segment, const Plan::Group& group);
  void run_tile(Thread& mine, const Plan::Segment& segment,
                const std::array<int, kMaxDimensions>& tile);
  void run_boxes(Thread& mine, std::size_t loop, const Intervals& from, const Intervals& to);
  void stop_all();

  const Team& team_;
  const bool timed_;
  const int looks_;
  std::vector<Thread> threads_;
  std::vector<Word> done_;    ///< for each group, the number of the run that last ran it
  std::uint32_t number_ = 0;  ///< of this run
  Meeting meeting_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::size_t failed_loop_ = 0;

  // What is run now.
  std::span<const Queued> queue_;
  const Plan* plan_ = nullptr;
  std::vector<std::unique_ptr<LoopResults>>* results_ = nullptr;
};

}  // namespace Atoll::stencil
