#include "trace/frontend_dbi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

#include "atoll/base/error.hpp"
#include "trace/dbi/emulator.hpp"

namespace Atoll::trace {
namespace {

using dbi::ProgramFile;
using dbi::Trouble;

constexpr char kPlugin[] = "libatoll-dbi.so";
constexpr char kLibrary[] = "libatoll-record.so";

/// Calls `found` with each place in $PATH where `name` may be, until it returns true.
void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found) {
  const char* variable = std::getenv("PATH");
  std::string_view folders = variable != nullptr ? variable : "/bin:/usr/bin";
  for (;;) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    if (found(folder.empty() ? name : fmt::format("{}/{}", folder, name))) return;
    if (colon == std::string_view::npos) return;
    folders.remove_prefix(colon + 1);
  }
}

/// What `name` stands for: the first in $PATH that can be executed, as execvp does.
std::unique_ptr<ProgramFile> look_up(const std::string& name) {
  auto program = std::make_unique<ProgramFile>();
  if (name.empty() || name.find('/') != std::string::npos) {
    dbi::look_at(name.c_str(), *program);
    return program;
  }
  auto refused = std::make_unique<ProgramFile>();
  refused->trouble = Trouble::missing;
  for_each_in_path(name, [&](const std::string& path) {
    dbi::look_at(path.c_str(), *program);
    if (program->trouble != Trouble::missing && program->trouble != Trouble::not_executable)
      return true;
    if (program->trouble == Trouble::not_executable) std::swap(program, refused);
    return false;
  });
  if (program->trouble == Trouble::missing) std::swap(program, refused);
  return program;
}

std::string find_emulator(bool is_64_bit, const std::string& command) {
  const std::string name = is_64_bit ? "qemu-x86_64" : "qemu-i386";
  std::string found;
  for_each_in_path(name, [&](const std::string& path) {
    if (::access(path.c_str(), X_OK) == 0) found = path;
    return !found.empty();
  });
  if (found.empty())
    throw Error::input(command,
                       fmt::format("the front end dbi runs it in {}, which isn't in $PATH", name),
                       "install Debian's package qemu-user");
  return std::filesystem::absolute(found).string();
}

void refuse(const std::string& command, const ProgramFile& program) {
  const std::string other =
      program.path[0] == 0 || command == program.path ? "" : fmt::format("{} ", program.path);
  switch (program.trouble) {
    case Trouble::none:
      return;
    case Trouble::missing:
      throw Error::input(command, program.path[0] == 0 ? "not found" : other + "does not exist",
                         "name a program in $PATH or by its path");
    case Trouble::not_executable:
      throw Error::input(command, other + "is not an executable file",
                         "name a program, or permit it with chmod +x");
    case Trouble::unreadable:
      throw Error::input(command, other + "may be executed but not read",
                         "watch it with --frontend sample");
    case Trouble::privileged:
      throw Error::input(command,
                         other + "is setuid, setgid or has capabilities, which it would lose",
                         "watch a copy without them, with rights of its own");
    case Trouble::not_a_program:
      throw Error::input(command, other + "is neither an ELF program nor a script with #!",
                         "run a script as: sh SCRIPT");
    case Trouble::other_machine:
      throw Error::input(command, other + "is a program for another processor than x86",
                         "build it for this computer");
    case Trouble::too_nested:
      throw Error::input(command, other + "is a script in too many others",
                         "run it through its interpreter");
  }
}

std::string part(const std::string& folder, const char* name) {
  std::string path = (std::filesystem::path(folder) / name).string();
  std::error_code error;
  path = std::filesystem::canonical(path, error).string();
  if (error)
    throw Error::failed((std::filesystem::path(folder) / name).string(), "missing",
                        "build or install Atoll whole");
  if (!dbi::is_nameable(path.c_str()))
    throw Error::failed(path, "qemu can't load a plugin from a folder with a comma in its name",
                        "install Atoll elsewhere");
  return path;
}

}  // namespace

FrontendLaunch prepare_dbi(const std::vector<std::string>& command,
                           const std::string& libraries_folder, const std::string& region_path) {
  if (command.empty())
    throw Error::input("the command", "there is none", "name a program to watch after --");
  const std::unique_ptr<ProgramFile> program = look_up(command[0]);
  refuse(command[0], *program);
  const std::string qemu = find_emulator(program->is_64_bit, command[0]);
  const std::string plugin = part(libraries_folder, kPlugin);
  const std::string library = part(libraries_folder, kLibrary);

  std::vector<const char*> words;
  for (const std::string& word : command) words.push_back(word.c_str());
  words.push_back(nullptr);
  const dbi::Emulator emulator = {qemu.c_str(), plugin.c_str(), library.c_str(),
                                  region_path.c_str()};
  const dbi::Invocation called = dbi::invocation(emulator, *program, words.data(), environ);
  const std::unique_ptr<void, decltype(&std::free)> memory(called.memory, &std::free);
  if (memory == nullptr) throw Error::failed(command[0], "no memory", "close other programs");

  FrontendLaunch launch;
  for (char** word = called.arguments; *word != nullptr; ++word) launch.command.emplace_back(*word);
  // What only the program is meant to have is empty for the emulator, which is the same as unset.
  for (char** variable = environ; *variable != nullptr; ++variable) {
    bool stays = false;
    for (char** kept = called.environment; *kept != nullptr; ++kept) stays |= *kept == *variable;
    const std::string_view text = *variable;
    if (!stays) launch.environment.emplace_back(text.substr(0, text.find('=')), "");
  }
  return launch;
}

}  // namespace Atoll::trace
