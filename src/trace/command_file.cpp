#include "trace/command_file.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "process/search_path.hpp"

namespace Atoll::trace {
namespace {

using dbi::ProgramFile;
using dbi::Trouble;

/// Returns the executable file that `name` refers to: as for execvp, the first in $PATH.
std::unique_ptr<ProgramFile> look_up(const std::string& name) {
  auto program = std::make_unique<ProgramFile>();
  if (name.empty() || name.find('/') != std::string::npos) {
    dbi::look_at(name.c_str(), *program);
    return program;
  }
  auto refused = std::make_unique<ProgramFile>();
  refused->trouble = Trouble::missing;
  process::for_each_in_path(name, [&](const std::string& path) {
    dbi::look_at(path.c_str(), *program);
    if (program->trouble != Trouble::missing && program->trouble != Trouble::not_executable)
      return true;
    if (program->trouble == Trouble::not_executable) std::swap(program, refused);
    return false;
  });
  if (program->trouble == Trouble::missing) std::swap(program, refused);
  return program;
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

}  // namespace

std::unique_ptr<ProgramFile> find_command(const std::string& name) {
  std::unique_ptr<ProgramFile> program = look_up(name);
  refuse(name, *program);
  return program;
}

}  // namespace Atoll::trace
