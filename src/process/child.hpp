// A program that `atoll` starts and waits for, with all of its descendants.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Atoll::process {

/// A command and its additions to this process's environment. A value for LD_PRELOAD is put before
/// the existing value.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<rlimit> address_space;  ///< if empty, this process's limit
  bool disable_address_randomization =
      false;  ///< disables address randomization, if the system allows it
};

/// A started program. As long as the object exists, this process forwards signals to the program,
/// except for those that a terminal sends to both, and is the parent of the program's orphans.
class Child {
 public:
  /// Starts the command; searches $PATH as a shell does. Calls `before_start` in this process
  /// between fork and exec. Throws Error (input) if the command can't be executed.
  explicit Child(const Launch& launch, const std::function<void(pid_t)>& before_start = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Blocks until the program ends, `also` is readable or `milliseconds` have passed. Returns true
  /// if the program has ended.
  bool wait(int milliseconds, int also = -1);
  /// Returns the program's status as waitpid does. Call it after wait() returned true.
  [[nodiscard]] int status() const { return ended_.at(pid_); }
  /// Returns the wait status of each descendant that has ended and was reaped, by pid.
  [[nodiscard]] const std::map<pid_t, int>& ended() const { return ended_; }

 private:
  void reap();
  void stop_forwarding_signals();

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::map<pid_t, int> ended_;
};

/// Returns the exit code that a shell reports for a wait status: the exit code, or 128 plus the
/// signal's number.
[[nodiscard]] int exit_code_of_status(int status);

}  // namespace Atoll::process
