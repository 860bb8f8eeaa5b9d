// Runs a program without its schedule and by it, in turn, and compares their times: the order of
// tasks costs what no model of caches tells, such as data that is no longer fetched ahead.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace Atoll::apply {

/// Processor time of a loop's run by its slowest thread, in seconds, the least of all runs (the gain
/// is that of the medians if theirs is smaller). If the program runs the loop once, or in C++: of
/// all that it does between its marks, or of the rest of its run.
struct TriedTimes {
  double plain = 0, followed = 0;
  bool is_of_loop = false;
};

/// Measured times, by the names of loops.
struct Tried {
  std::map<std::string, TriedTimes> stays;   ///< loops that followed, and whose data stayed
  std::map<std::string, TriedTimes> packed;  ///< loops that packed their data in the new order
};

/// Runs the command `rounds` times each way, with the schedule of the file, which has to be
/// followed in any case; up to five times as often while all runs take less than two seconds. Its
/// input is empty, its output isn't shown. Throws Error (failed) if a run ends with another code
/// than 0, and Error (input) if the command can't be executed.
[[nodiscard]] Tried try_schedule(const std::vector<std::string>& command,
                                 const std::string& schedule, int rounds);

}  // namespace Atoll::apply
