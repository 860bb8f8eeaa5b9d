#include "process/search_path.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "base/environment.hpp"

namespace Atoll::process {

void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found) {
  const char* variable = environment_variable("PATH");
  std::string_view folders = variable != nullptr ? variable : "/bin:/usr/bin";
  for (;;) {
    const std::size_t colon = folders.find(':');
    const std::string_view folder = folders.substr(0, colon);
    if (found(folder.empty() ? name : fmt::format("{}/{}", folder, name))) return;
    if (colon == std::string_view::npos) return;
    folders.remove_prefix(colon + 1);
  }
}

std::string find_in_path(const std::string& command) {
  if (command.find('/') != std::string::npos) return command;
  std::string found;
  for_each_in_path(command, [&](const std::string& path) {
    if (::access(path.c_str(), X_OK) == 0) found = path;
    return !found.empty();
  });
  return found;
}

}  // namespace Atoll::process
