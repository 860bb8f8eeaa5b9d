// Prints the lists in a schedule's file, for `atoll schedule --show`.
#pragma once

#include <string>

#include "atoll/plan/schedule.hpp"

namespace Atoll::cli {

/// Prints each thread's tasks in order, for the loop of that name or for all loops. Throws Error
/// (input) if there is no loop of that name. `path` is the file's name.
void print_lists(const Schedule& schedule, const std::string& path, const std::string& loop,
                 bool json);

}  // namespace Atoll::cli
