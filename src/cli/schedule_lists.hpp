// The lists of a schedule's file, as `atoll schedule --show` prints them.
#pragma once

#include <string>

#include "atoll/plan/schedule.hpp"

namespace Atoll::cli {

/// Prints which thread runs which tasks, in its order, of the loop of that name or of all loops.
/// Throws Error (input) if there is no loop of that name. `path` names the file.
void print_lists(const Schedule& schedule, const std::string& path, const std::string& loop,
                 bool json);

}  // namespace Atoll::cli
