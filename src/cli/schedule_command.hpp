// `atoll schedule -o S -- COMMAND`: records a command's tasks, and schedules them.
#pragma once

#include <cstdint>
#include <string>

#include "cli/watch_options.hpp"

namespace Atoll::cli {

/// The options as given on the command line.
struct ScheduleCommand {
  WatchWords watch;
  std::string by = "word";
  double dense_ratio = 0.9;
  std::uint32_t max_sharers = 0;
  std::uint32_t lines_of_task = 0;
  std::string output, machine;
  int threads = 0;
  std::uint32_t seed = 0;
  bool json = false;
};

/// Runs the command and writes the schedule. Ends with the command's exit code if that isn't 0.
void schedule_command(const ScheduleCommand& call);

}  // namespace Atoll::cli
