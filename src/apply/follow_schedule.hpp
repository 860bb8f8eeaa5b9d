// Makes programs that are started from here on follow a schedule (docs/tasks.md).
#pragma once

#include <string>

#include "atoll/parallel/followed_schedule.hpp"

namespace Atoll::apply {

/// One schedule, for the commands that are started while it lives.
class FollowSchedule {
 public:
  /// Names the schedule in this process's environment, which programs inherit, and preloads the
  /// library that C programs ask for their tasks. Throws Error (input) if the file is no schedule,
  /// or has threads where this computer has no place.
  FollowSchedule(const std::string& path, FollowOptions options);
  ~FollowSchedule();
  FollowSchedule(const FollowSchedule&) = delete;
  FollowSchedule& operator=(const FollowSchedule&) = delete;

  /// Reports that no process of the command, which has ended, asked for the tasks of a loop: throws
  /// Error (input) if the schedule is strict, else prints a note.
  void check_use(const std::string& command) const;

 private:
  std::string path_;
  FollowOptions options_;
  std::string used_;  ///< the file to which programs write when they ask; "": there is none
};

}  // namespace Atoll::apply
