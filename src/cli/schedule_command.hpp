// `atoll schedule -o S -- COMMAND`: records a command's tasks, and schedules them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace Atoll::cli {

/// Adds the verb as it is for a command; `atoll schedule GRAPH` is in verb_schedule.cpp.
void add_schedule_command(CLI::App& app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
