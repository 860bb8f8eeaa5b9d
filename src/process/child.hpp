// A program that `atoll` runs and waits for, with all processes that it starts.
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

/// A command, and what its environment has besides this process's own. A value for LD_PRELOAD is
/// put before the present one.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<rlimit> address_space;  ///< nothing: this process's own
  bool same_addresses = false;          ///< if the system allows it, the same in each run
};

/// While one lives, this process passes on signals that end or inform a program, except for those
/// that a terminal sends to both. It is also the parent of the program's orphans.
class Child {
 public:
  /// Starts the command, found as a shell would. `before_start` runs in this process between fork
  /// and exec. Throws Error (input) if it can't be executed.
  explicit Child(const Launch& launch, const std::function<void(pid_t)>& before_start = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Waits until the program ends, `also` can be read or `milliseconds` have passed. Returns true
  /// if it has ended.
  bool wait(int milliseconds, int also = -1);
  /// Returns the program's status as waitpid does. Call it after wait() returned true.
  [[nodiscard]] int status() const { return ended_.at(pid_); }
  /// Returns the status of each process that came of it and was seen to end.
  [[nodiscard]] const std::map<pid_t, int>& ended() const { return ended_; }

 private:
  void reap();
  void take_signals_back();

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::map<pid_t, int> ended_;
};

/// Returns what a shell makes of the status: the exit code, or 128 plus the signal's number.
[[nodiscard]] int exit_code_of_status(int status);

}  // namespace Atoll::process
