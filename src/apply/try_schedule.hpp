// Measures a schedule's effect: runs a program alternately with and without it. The order of tasks
// has costs that no model of caches predicts, such as the loss of prefetching.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace Atoll::apply {

/// Processor time of a loop's run by its slowest thread, in seconds: the minimum of all runs (or
/// the medians' ratio, if that gain is smaller). If the program runs the loop once, or is in C++,
/// the time is that of the whole phase between its marks, or else of the rest of its run.
struct TriedTimes {
  double plain = 0, followed = 0;
  bool is_of_loop = false;
};

/// Measured times, by loop name.
struct Tried {
  std::map<std::string, TriedTimes> stays;   ///< loops that followed the schedule, unpacked
  std::map<std::string, TriedTimes> packed;  ///< loops that packed their data
};

/// Runs the command `rounds` times with and without the file's schedule, which is always followed;
/// up to five times as many rounds while the total is below two seconds. Standard input is empty,
/// output is discarded. Throws Error (failed) if a run's exit code isn't 0, and Error (input) if
/// the command can't be executed.
[[nodiscard]] Tried try_schedule(const std::vector<std::string>& command,
                                 const std::string& schedule, int rounds);

}  // namespace Atoll::apply
