// Which thread runs which tasks of a loop, and in which order [affinity §2, §5.1]: what a
// partitioner makes of an affinity graph, and what the next run follows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/machine/thread_places.hpp"

namespace Atoll {

/// Seconds of memory accesses, of the thread that takes longest: computing takes what it took.
struct SchedulePrediction {
  double plain_seconds = 0;     ///< of one run of the loop: equal parts, in the tasks' order
  double followed_seconds = 0;  ///< of one run by the schedule
  double prepare_seconds = 0;   ///< once: to record, to schedule and to pack
  bool is_measured = false;     ///< the ratio is of real runs; files don't tell

  /// Below 1: a run by the schedule is faster. 1 if the loop accesses nothing.
  [[nodiscard]] double ratio() const;
  /// Whether following gains 2 % at least, and a microsecond: less is lost in the model's errors,
  /// and in what a loop costs besides its tasks.
  [[nodiscard]] bool pays() const {
    return ratio() < 0.98 && plain_seconds - followed_seconds >= 1e-6;
  }
  /// How many runs of the loop it takes to win back the preparation; none if they never do.
  [[nodiscard]] std::optional<std::uint64_t> pays_after() const;
  friend bool operator==(const SchedulePrediction&, const SchedulePrediction&) = default;
};

/// One loop's tasks by thread. Task t is the iterations t × chunk … (t + 1) × chunk - 1 as far as
/// there are some.
struct ScheduledLoop {
  std::string name;
  std::uint64_t iterations = 0;
  std::uint64_t chunk = 1;
  /// Tells the loop's structure from others of the same size, if the program gives one; 0: none.
  std::uint64_t fingerprint = 0;
  std::vector<std::uint64_t> begin;  ///< threads + 1 positions in `tasks`
  std::vector<std::uint32_t> tasks;  ///< each task once: thread by thread, in the order to run them
  /// What following is worth (plan/predict_schedule.hpp), if that is known: where only the order of
  /// the tasks changes, and where the program packs its data in that order, too.
  std::optional<SchedulePrediction> predicted = {}, predicted_packed = {};

  /// The tasks of one thread, in the order to run them.
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

  /// The loop of that name, or null.
  [[nodiscard]] const ScheduledLoop* find(std::string_view name) const;
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// Throws Error (input), naming `where` and the loop, unless each loop has each of its tasks once
/// and a list for each thread.
void check(const Schedule& schedule, std::string_view where);
/// The same of one loop, for so many threads.
void check(const ScheduledLoop& loop, std::size_t threads, std::string_view where);

}  // namespace Atoll
