#include "apply/follow_schedule.hpp"

#include <cstdlib>
#include <filesystem>

#include "atoll/parallel/inherited_schedule.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "process/libraries.hpp"

namespace Atoll::apply {

void follow_schedule(const std::string& path, FollowOptions options) {
  check_places(read_schedule(path), Machine::this_computer(), path);
  const std::string follower =
      process::preloadable(process::libraries_folder(), "libatoll-follow.so");
  const char* const before = std::getenv("LD_PRELOAD");
  const std::string preloaded =
      before == nullptr || *before == '\0' ? follower : follower + ":" + before;
  // The program may change its folder before it reads the schedule.
  ::setenv(kScheduleVariable, std::filesystem::absolute(path).c_str(), 1);
  if (options.strict) ::setenv(kStrictScheduleVariable, "1", 1);
  if (options.always) ::setenv(kAlwaysScheduleVariable, "1", 1);
  ::setenv("LD_PRELOAD", preloaded.c_str(), 1);
}

}  // namespace Atoll::apply
