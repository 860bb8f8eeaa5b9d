// Makes programs that are started from here on follow a schedule (docs/tasks.md).
#pragma once

#include <string>

namespace Atoll::apply {

/// Names the schedule in this process's environment, which programs inherit, and preloads what C
/// programs ask for their tasks. `strict`: loops that it doesn't fit are errors. Throws Error
/// (input) if the file is no schedule, or has threads where this computer has no place.
void follow_schedule(const std::string& path, bool strict);

}  // namespace Atoll::apply
