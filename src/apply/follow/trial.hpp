// Times of a trial (apply/try_schedule.hpp), measured inside the program.
#pragma once

#include <string_view>

namespace Atoll::apply {

/// Called when a thread requests its tasks of this loop. Ends the time of its previous loop run.
void thread_requests_tasks(std::string_view loop);

}  // namespace Atoll::apply
