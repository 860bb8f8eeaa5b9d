#include "cli/command_files.hpp"

#include "process/search_path.hpp"

namespace Atoll::cli {

std::vector<std::string> command_files(const std::vector<std::string>& command) {
  std::vector<std::string> files = command;
  if (files.empty()) return files;
  files.front() = process::find_in_path(files.front());
  std::erase(files, "-");  // the command's standard input isn't an input of `atoll`
  return files;
}

}  // namespace Atoll::cli
