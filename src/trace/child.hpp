// A program that `atoll` runs and waits for, with all that comes of it.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Atoll::trace {

/// A command, and what its environment has besides this process's own. A value for LD_PRELOAD is
/// put before the one that is there.
struct Launch {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<rlimit> address_space;  ///< nothing: as this process has it
};

/// While one lives, this process passes signals that end or tell a program something on to it, but
/// for those that a terminal sends to both; and is the parent of its orphans.
class Child {
 public:
  /// Starts the command, found as a shell would. `before_start` runs between fork and exec's
  /// release, in this process. Throws Error (input) where it can't be executed.
  explicit Child(const Launch& launch, const std::function<void(pid_t)>& before_start = {});
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Until the program ends, `also` can be read or `milliseconds` have passed; true: it has ended.
  bool wait(int milliseconds, int also = -1);
  /// As from waitpid, of the program; after wait() said true.
  [[nodiscard]] int status() const { return ended_.at(pid_); }
  /// The same of all processes that came of it and were seen to end.
  [[nodiscard]] const std::map<pid_t, int>& ended() const { return ended_; }

 private:
  void reap();
  void take_signals_back();

  pid_t pid_ = -1;
  int pidfd_ = -1;
  std::map<pid_t, int> ended_;
};

/// What a shell calls the status: the exit code, or 128 and the signal's number.
[[nodiscard]] int exit_code_of_status(int status);

}  // namespace Atoll::trace
