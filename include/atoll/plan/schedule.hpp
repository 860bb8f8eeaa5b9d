// Assignment of a loop's tasks to threads, with an order in each thread [affinity §2, §5.1]: the
// result of partitioning an affinity graph, which the next run follows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// Seconds of the slowest thread: its memory accesses, plus its computing time if that is known.
struct SchedulePrediction {
  double plain_seconds = 0;     ///< of one run of the loop: equal parts, in the tasks' order
  double followed_seconds = 0;  ///< of one run by the schedule
  double prepare_seconds = 0;   ///< once: to record, to schedule and to pack
  bool is_measured = false;     ///< the ratio is of measured runs; not stored in files

  /// Returns followed over plain seconds. Below 1: a run by the schedule is faster. 1 if the loop
  /// accesses nothing.
  [[nodiscard]] double ratio() const;
  /// True if following the schedule saves at least 2 % and a microsecond. Smaller savings are
  /// within the model's errors and a loop's overhead.
  [[nodiscard]] bool pays() const {
    return ratio() < 0.98 && plain_seconds - followed_seconds >= 1e-6;
  }
  /// Returns the number of runs after which the preparation is recovered; std::nullopt if it never
  /// is.
  [[nodiscard]] std::optional<std::uint64_t> pays_after() const;
  friend bool operator==(const SchedulePrediction&, const SchedulePrediction&) = default;
};

/// One loop's tasks by thread. Task t is the iterations from t × chunk to (t + 1) × chunk - 1 that
/// exist.
struct ScheduledLoop {
  std::string name;
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  /// Distinguishes the loop's structure from others of the same size, if the program provides it;
  /// 0: none.
  std::uint64_t fingerprint = 0;
  std::vector<std::uint64_t> begin;  ///< threads + 1 positions in `tasks`
  std::vector<std::uint32_t> tasks;  ///< each task once: thread by thread, in the order to run them
  /// Predicted times (plan/predict_schedule.hpp), if they are known: with only the order of tasks
  /// changed, and with the data also packed in that order.
  std::optional<SchedulePrediction> predicted = {}, predicted_packed = {};

  /// Returns the tasks of one thread, in the order to run them.
  [[nodiscard]] std::span<const std::uint32_t> of(std::size_t thread) const {
    return std::span(tasks).subspan(begin[thread], begin[thread + 1] - begin[thread]);
  }
  [[nodiscard]] std::uint64_t task_count() const {
    return iterations / chunk + (iterations % chunk != 0);
  }
  friend bool operator==(const ScheduledLoop&, const ScheduledLoop&) = default;
};

/// The schedules of a program's loops, for threads at given places.
struct Schedule {
  std::vector<ThreadPlace> places;   ///< of thread 0, 1, …
  std::vector<ScheduledLoop> loops;  ///< names are unique

  /// Returns the loop of that name, or null.
  [[nodiscard]] const ScheduledLoop* find(std::string_view name) const;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Throws Error (input), which names `where` and the loop, unless each loop has each of its tasks
/// once and a list for each thread.
void check(const Schedule& schedule, std::string_view where);
/// Checks one loop in the same way, for `threads` threads.
void check(const ScheduledLoop& loop, std::size_t threads, std::string_view where);

}  // namespace Atoll
