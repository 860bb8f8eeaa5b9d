// Makes programs that are started from here on follow a schedule (docs/tasks.md).
#pragma once

#include <string>

#include "atoll/parallel/followed_schedule.hpp"

namespace Atoll::apply {

/// Names the schedule in this process's environment, which programs inherit, and preloads what C
/// programs ask for their tasks. Throws Error
/// (input) if the file is no schedule, or has threads where this computer has no place.
void follow_schedule(const std::string& path, FollowOptions options);

}  // namespace Atoll::apply
