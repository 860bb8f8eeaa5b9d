#include "recording/frontends/command_file.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "process/search_path.hpp"

namespace Atoll::recording {
namespace {

using record::dbi::ProgramFile;
using record::dbi::ProgramProblem;

/// Returns the executable file that `name` refers to: as for execvp, the first in $PATH.
std::unique_ptr<ProgramFile> look_up(const std::string& name) {
  auto program = std::make_unique<ProgramFile>();
  if (name.empty() || name.find('/') != std::string::npos) {
    record::dbi::classify_program(name.c_str(), *program);
    return program;
  }
  auto refused = std::make_unique<ProgramFile>();
  refused->problem = ProgramProblem::missing;
  process::for_each_in_path(name, [&](const std::string& path) {
    record::dbi::classify_program(path.c_str(), *program);
    if (program->problem != ProgramProblem::missing &&
        program->problem != ProgramProblem::not_executable)
      return true;
    if (program->problem == ProgramProblem::not_executable) std::swap(program, refused);
    return false;
  });
  if (program->problem == ProgramProblem::missing) std::swap(program, refused);
  return program;
}

void refuse(const std::string& command, const ProgramFile& program) {
  const std::string other =
      program.path[0] == 0 || command == program.path ? "" : fmt::format("{} ", program.path);
  switch (program.problem) {
    case ProgramProblem::none:
      return;
    case ProgramProblem::missing:
      throw Error::input(command, program.path[0] == 0 ? "not found" : other + "does not exist",
                         "name a program in $PATH or by its path");
    case ProgramProblem::not_executable:
      throw Error::input(command, other + "is not an executable file",
                         "name a program, or permit it with chmod +x");
    case ProgramProblem::unreadable:
      throw Error::input(command, other + "may be executed but not read",
                         "watch it with --frontend sample");
    case ProgramProblem::privileged:
      throw Error::input(command,
                         other + "is setuid, setgid or has capabilities, which it would lose",
                         "watch a copy without them, with rights of its own");
    case ProgramProblem::not_a_program:
      throw Error::input(command, other + "is neither an ELF program nor a script with #!",
                         "run a script as: sh SCRIPT");
    case ProgramProblem::other_machine:
      throw Error::input(command, other + "is a program for another processor than x86",
                         "build it for this computer");
    case ProgramProblem::too_nested:
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

}  // namespace Atoll::recording
