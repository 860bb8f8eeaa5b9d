// Times of a trial (apply/try_schedule.hpp), from inside the program.
#pragma once

#include <string_view>

namespace Atoll::apply {

/// A thread asks for its tasks of this loop: its time in the loop before ends here.
void thread_asks(std::string_view loop);

}  // namespace Atoll::apply
