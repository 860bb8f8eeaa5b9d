// A guard process between this process and the command waits for the end of either. It is forked
// from this process, which may have threads, so it calls only async-signal-safe functions.
#include "greenmarl/guarded_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "atoll/base/error.hpp"

extern char** environ;

namespace Atoll::greenmarl {
namespace {

/// The guard's report to its parent.
struct Outcome {
  int start_error = 0;
  int status = 0;
};

/// A command, prepared before the guard is forked.
class Start {
 public:
  Start(const std::vector<std::string>& command, int log, const sigset_t& mask) {
    for (const std::string& word : command) arguments_.push_back(const_cast<char*>(word.c_str()));
    arguments_.push_back(nullptr);
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions_, log, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  [[nodiscard]] int operator()(pid_t& child) const {
    return ::posix_spawn(&child, arguments_[0], &actions_, &attributes_, arguments_.data(),
                         environ);
  }

 private:
  std::vector<char*> arguments_;
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// Kills the guard's process group. SIGTERM is blocked in the guard only.
[[noreturn]] void end_group(const char* unfinished) {
  ::kill(0, SIGTERM);  // compilers then remove their temporary files
  sigset_t child_ends;
  ::sigemptyset(&child_ends);
  ::sigaddset(&child_ends, SIGCHLD);
  const timespec moment{.tv_sec = 0, .tv_nsec = 100'000'000};
  pid_t ended = 1;
  for (int i = 0; i < 20 && ended >= 0; ++i) {
    while ((ended = ::waitpid(0, nullptr, WNOHANG)) > 0) {
    }
    if (ended == 0) ::sigtimedwait(&child_ends, nullptr, &moment);
  }
  ::unlink(unfinished);
  ::kill(0, SIGKILL);  // processes that ignore SIGTERM, and the guard itself
  ::_exit(1);
}

[[noreturn]] void guard(const Start& start, const sigset_t& awaited, int report, pid_t parent,
                        const char* unfinished) {
  ::signal(SIGCHLD, SIG_DFL);
  ::setpgid(0, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts orphaned descendants, to wait for them too
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  pid_t child = 0;
  Outcome outcome;
  outcome.start_error = start(child);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(stream);
  while (outcome.start_error == 0 && ::waitpid(child, &outcome.status, WNOHANG) != child) {
    int signal = 0;
    if (::sigwait(&awaited, &signal) == 0 && signal == SIGTERM) end_group(unfinished);
  }
  static_cast<void>(!::write(report, &outcome, sizeof outcome));
  ::_exit(0);
}

}  // namespace

int run_guarded(const std::vector<std::string>& command, int log, const std::string& unfinished) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) throw Error::system(command[0], "starting it", errno);
  sigset_t awaited, before;
  ::sigemptyset(&awaited);
  ::sigaddset(&awaited, SIGTERM);
  ::sigaddset(&awaited, SIGCHLD);
  ::pthread_sigmask(SIG_BLOCK, &awaited, &before);
  const Start start(command, log, before);
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) guard(start, awaited, report[1], parent, unfinished.c_str());
  const int fork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(report[1]);
  Outcome outcome;
  ssize_t got = 0;
  while (child > 0 && (got = ::read(report[0], &outcome, sizeof outcome)) < 0 && errno == EINTR) {
  }
  ::close(report[0]);
  if (child < 0) throw Error::system(command[0], "starting it", fork_error);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof outcome) return status;  // the guard was killed
  if (outcome.start_error != 0) throw Error::system(command[0], "starting it", outcome.start_error);
  return outcome.status;
}

}  // namespace Atoll::greenmarl
