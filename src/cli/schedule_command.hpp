// Implements `atoll schedule -o S -- COMMAND`: records a command's tasks and schedules them.
#pragma once

#include <string>
#include <vector>
#include "atoll/options/command.hpp"

namespace Atoll::cli {

/// Adds the verb in its form for commands; verb_schedule.cpp has `atoll schedule GRAPH`.
void add_schedule_command(options::Command app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
