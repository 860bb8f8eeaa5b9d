#include "apply/follow_schedule.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/parallel/inherited_schedule.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "base/environment.hpp"
#include "base/temporary_file.hpp"
#include "parallel/append_to_named.hpp"
#include "parallel/schedule_use.hpp"
#include "process/libraries.hpp"
#include "process/linkage.hpp"
#include "process/privileges.hpp"
#include "process/search_path.hpp"

namespace Atoll::apply {
namespace {

namespace fs = std::filesystem;

/// The first line of the file in which a program reports that it requested tasks.
const std::string kFirstLine = detail::first_line(detail::kUsedScheduleVariable);

/// Makes a temporary file with this line. Returns its path, or "" if none can be made.
std::string temporary_file() {
  TemporaryFile file = create_temporary_file();
  if (file.descriptor < 0) return "";
  const bool is_written = ::write(file.descriptor, kFirstLine.data(), kFirstLine.size()) ==
                          static_cast<ssize_t>(kFirstLine.size());
  ::close(file.descriptor);
  if (is_written) return std::move(file.path);
  ::unlink(file.path.c_str());
  return "";
}

}  // namespace

FollowSchedule::FollowSchedule(const std::string& path, FollowOptions options)
    : path_(path), options_(options) {
  check_places(read_schedule(path), Machine::this_computer(), path);
  const std::string follower =
      process::preloadable(process::libraries_folder(), "libatoll-follow.so");
  const char* const before = environment_variable("LD_PRELOAD");
  const std::string preloaded =
      before == nullptr || *before == '\0' ? follower : follower + ":" + before;
  used_ = temporary_file();
  // absolute, because the program may change its folder before it reads the schedule
  ::setenv(kScheduleVariable, fs::absolute(path).c_str(), 1);
  ::setenv(detail::kUsedScheduleVariable, used_.c_str(), 1);
  if (options.strict) ::setenv(kStrictScheduleVariable, "1", 1);
  if (options.always) ::setenv(kAlwaysScheduleVariable, "1", 1);
  ::setenv("LD_PRELOAD", preloaded.c_str(), 1);
}

FollowSchedule::~FollowSchedule() {
  if (!used_.empty()) ::unlink(used_.c_str());
}

void FollowSchedule::check_use(const std::string& command) const {
  std::error_code unknown;
  if (used_.empty() || fs::file_size(used_, unknown) != kFirstLine.size()) return;
  const std::string program = process::find_in_path(command);
  std::string why = "asked for no loop of " + path_;
  std::string help = "run the program that the schedule was made for";
  if (process::is_static_program(program)) {
    why = "is a static program and " + why;
    help = "link it dynamically: a static program can't ask for its tasks";
  } else if (process::gains_privileges(program)) {
    why = "has privileges of its own (set-uid, set-gid or capabilities) and " + why;
    help = "run a copy without them: a program with privileges follows no schedule of its user";
  }
  if (options_.strict) throw Error::input(command, why, help);
  note(command + " " + why + "; " + help);
}

}  // namespace Atoll::apply
