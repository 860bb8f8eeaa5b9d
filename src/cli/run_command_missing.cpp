// Replaces run_command.cpp in builds without the recording of programs.
#include "atoll/base/error.hpp"
#include "cli/run_command.hpp"

namespace Atoll::cli {

std::vector<CommandPolicy> command_policies() {
  return {};
}

bool is_command(const std::string& /*word*/) {
  return false;
}

void run_command(const CommandRun& /*run*/, const std::vector<std::string>& /*command*/) {
  throw Error::input("--", "this build of atoll runs Green-Marl programs only, no commands",
                     "build Atoll with ATOLL_RECORDING=ON and its libraries");
}

}  // namespace Atoll::cli
