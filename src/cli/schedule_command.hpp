// `atoll schedule -o S -- COMMAND`: records a command's tasks, and schedules them.
#pragma once

#include <string>
#include <vector>
#include "atoll/options/command.hpp"

namespace Atoll::cli {

/// Adds the verb as it is for a command; `atoll schedule GRAPH` is in verb_schedule.cpp.
void add_schedule_command(options::Command app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
