#include "cli/command_files.hpp"

#include <unistd.h>

#include "process/search_path.hpp"

namespace Atoll::cli {

std::vector<std::string> command_files(const std::vector<std::string>& command) {
  std::vector<std::string> files = command;
  std::erase(files, "-");  // the command's standard input is none of this call's
  if (files.empty() || files.front().find('/') != std::string::npos) return files;
  const std::string name = files.front();
  files.front().clear();
  process::for_each_in_path(name, [&](const std::string& path) {
    if (::access(path.c_str(), X_OK) != 0) return false;
    files.front() = path;
    return true;
  });
  return files;
}

}  // namespace Atoll::cli
