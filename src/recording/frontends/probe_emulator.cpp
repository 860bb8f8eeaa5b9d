#include "recording/frontends/probe_emulator.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <string_view>
#include <vector>

#include "record/emulator/emulator.hpp"

namespace Atoll::recording {
namespace {

struct Answer {
  int status = -1;    ///< as from waitpid(); -1: it could not be started
  std::string first;  ///< first line of its output
};

/// Runs the emulator. It does not use the terminal or this process's input.
Answer answer_of(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // Omits variables that control the dynamic linker, as they are meant for the watched program.
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("LD_")) environment.push_back(*variable);
  environment.push_back(nullptr);
  pid_t pid = 0;
  Answer answer;
  const int error = ::posix_spawn(&pid, words[0].c_str(), &actions, nullptr, arguments.data(),
                                  environment.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error == 0) {
    std::string said;
    std::array<char, 4096> some{};
    for (ssize_t got = 0; (got = ::read(ends[0], some.data(), some.size())) != 0;) {
      if (got > 0) said.append(some.data(), static_cast<std::size_t>(got));
      if (got < 0 && errno != EINTR) break;
    }
    answer.first = said.substr(0, said.find('\n'));
    while (::waitpid(pid, &answer.status, 0) < 0 && errno == EINTR) {
    }
  }
  ::close(ends[0]);
  return answer;
}

std::string ask(const std::string& qemu, const std::string& plugin) {
  // The program is not started, so any existing program suffices.
  const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
  const Answer answer =
      answer_of({qemu, "-plugin", fmt::format("{},{}=1", plugin, record::dbi::kProbe), own});
  if (WIFEXITED(answer.status) && WEXITSTATUS(answer.status) == record::dbi::kProbed) return "";
  const std::string version = answer_of({qemu, "--version"}).first;
  return fmt::format(
      "the emulator {} ({}) takes no plugin of Atoll{}; put another one first in $PATH, as of "
      "Debian 12's package qemu-user (not -static, not of backports), or compile the program with "
      "atollcc, or take --frontend sample",
      qemu, version.empty() ? "of no known version" : version,
      answer.first.empty() ? "" : ": \"" + answer.first + "\"");
}

}  // namespace

std::string obstacle_of_emulator(const std::string& qemu, const std::string& plugin) {
  static std::map<std::string, std::string> known;  // several callers ask for the same emulator
  const auto [at, is_new] = known.try_emplace(qemu);
  if (is_new) at->second = ask(qemu, plugin);
  return at->second;
}

}  // namespace Atoll::recording
