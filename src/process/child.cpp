#include "process/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "atoll/base/error.hpp"
#include "base/environment.hpp"

namespace Atoll::process {
namespace {

volatile pid_t passed_on_to = 0;

constexpr std::array kHandled{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
std::array<struct sigaction, std::tuple_size_v<decltype(kHandled)>> before;

/// Forwards a signal to the program. A signal from the kernel, such as Ctrl-C, is not forwarded:
/// the terminal sends it to its whole foreground process group. Also calls the handler that this
/// process had before.
void forward_signal(int signal, siginfo_t* info, void*) {
  if (passed_on_to > 0 && info->si_code != SI_KERNEL) ::kill(passed_on_to, signal);
  for (std::size_t i = 0; i < kHandled.size(); ++i)
    if (kHandled[i] == signal && (before[i].sa_flags & SA_SIGINFO) == 0 &&
        before[i].sa_handler != SIG_DFL && before[i].sa_handler != SIG_IGN)
      before[i].sa_handler(signal);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  list.reserve(words.size() + 1);
  for (std::string& word : words) list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& more) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : more) replaced = replaced || key == name;
    if (!replaced) all.emplace_back(text);
  }
  for (const auto& [key, value] : more) {
    std::string entry = key;
    entry.append("=").append(value);
    const char* old = key == "LD_PRELOAD" ? environment_variable("LD_PRELOAD") : nullptr;
    if (old != nullptr && *old != '\0') entry.append(":").append(old);
    all.push_back(std::move(entry));
  }
  return all;
}

[[noreturn]] void fail_to_execute(const std::string& program, int error) {
  const char* way_out = "";
  if (error == ENOENT) way_out = "give the path of a program, or a name on $PATH";
  if (error == EACCES) way_out = "it has to be an executable file: chmod +x";
  if (error == ENOEXEC) way_out = "it has to be a program of this computer, or begin with #!";
  throw Error::input(program, std::string("can't be executed: ") + std::strerror(error), way_out);
}

}  // namespace

Child::Child(const Launch& launch, const std::function<void(pid_t)>& before_start) {
  std::vector<std::string> command = launch.command;
  std::vector<std::string> variables = environment_with(launch.environment);
  const std::vector<char*> arguments = pointers(command);
  const std::vector<char*> environment = pointers(variables);
  // Both pipes close at exec: end of file on `failed` means that exec succeeded.
  int failed[2], go[2];
  if (::pipe2(failed, O_CLOEXEC) != 0 || ::pipe2(go, O_CLOEXEC) != 0)
    throw Error::system(command.at(0), "starting it", errno);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  for (std::size_t i = 0; i < kHandled.size(); ++i) {
    struct sigaction action = {};
    action.sa_sigaction = forward_signal;
    action.sa_flags = SA_RESTART | SA_SIGINFO;
    ::sigaction(kHandled[i], &action, &before[i]);
  }
  pid_ = ::fork();
  if (pid_ == 0) {
    for (std::size_t i = 0; i < kHandled.size(); ++i) ::sigaction(kHandled[i], &before[i], nullptr);
    ::close(go[1]);  // else end of file never arrives here if the parent exits
    // `atoll` ignores SIGXFSZ, so that write() fails with an error instead.
    std::signal(SIGXFSZ, SIG_DFL);
    char released = 0;
    if (::read(go[0], &released, 1) != 1) ::_exit(127);
    if (launch.address_space) ::setrlimit(RLIMIT_AS, &*launch.address_space);
    if (launch.disable_address_randomization) ::personality(ADDR_NO_RANDOMIZE);
    ::execvpe(arguments[0], arguments.data(), environment.data());
    const int error = errno;
    if (::write(failed[1], &error, sizeof error) != sizeof error) ::_exit(126);
    ::_exit(127);
  }
  const int fork_error = errno;
  ::close(failed[1]);
  ::close(go[0]);
  int error = pid_ < 0 ? fork_error : 0;
  if (pid_ > 0) {
    passed_on_to = pid_;
    pidfd_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
    try {
      if (before_start) before_start(pid_);
    } catch (...) {
      ::close(go[1]);
      ::close(failed[0]);
      ::waitpid(pid_, nullptr, 0);
      throw;
    }
    if (::write(go[1], "", 1) != 1) error = errno;
    int of_exec = 0;
    if (::read(failed[0], &of_exec, sizeof of_exec) == sizeof of_exec) error = of_exec;
  }
  ::close(go[1]);
  ::close(failed[0]);
  if (error == 0) return;
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  fail_to_execute(command.at(0), error);
}

Child::~Child() {
  stop_forwarding_signals();
  if (pidfd_ >= 0) ::close(pidfd_);
}

void Child::stop_forwarding_signals() {
  if (passed_on_to == 0) return;
  passed_on_to = 0;
  for (std::size_t i = 0; i < kHandled.size(); ++i) ::sigaction(kHandled[i], &before[i], nullptr);
}

void Child::reap() {
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;) {
    ended_[pid] = status;
    // The pid of an ended process may be reused, so no signal may be forwarded to it any more.
    // Signals act on `atoll` itself from now on.
    if (pid == pid_) stop_forwarding_signals();
  }
}

bool Child::wait(int milliseconds, int also) {
  reap();
  if (ended_.contains(pid_)) return true;
  // poll ignores negative descriptors.
  std::array<pollfd, 2> files{{{pidfd_, POLLIN, 0}, {also, POLLIN, 0}}};
  ::poll(files.data(), files.size(), milliseconds);
  reap();
  return ended_.contains(pid_);
}

int exit_code_of_status(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace Atoll::process
