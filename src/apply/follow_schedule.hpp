// Makes child processes follow a schedule (docs/tasks.md).
#pragma once

#include <string>

#include "atoll/parallel/followed_schedule.hpp"

namespace Atoll::apply {

/// Applies one schedule to the commands that are started during the object's lifetime.
class FollowSchedule {
 public:
  /// Puts the schedule's path into this process's environment, which programs inherit, and preloads
  /// the library from which C programs request tasks. Throws Error (input) if the file isn't a
  /// schedule, or if it has threads at places that this computer lacks.
  FollowSchedule(const std::string& path, FollowOptions options);
  ~FollowSchedule();
  FollowSchedule(const FollowSchedule&) = delete;
  FollowSchedule& operator=(const FollowSchedule&) = delete;

  /// Reports if no process of the command, which has ended, requested the tasks of a loop: throws
  /// Error (input) if the schedule is strict, else prints a note.
  void check_use(const std::string& command) const;

 private:
  std::string path_;
  FollowOptions options_;
  std::string used_;  ///< file to which programs report requests; "" if there is none
};

}  // namespace Atoll::apply
