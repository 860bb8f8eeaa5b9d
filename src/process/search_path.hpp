// Searches the folders of $PATH.
#pragma once

#include <functional>
#include <string>

namespace Atoll::process {

/// Calls `found` with each candidate path of `name` in $PATH until it returns true.
void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found);

/// Returns the file that execvp would execute for a command's first word; "" if there is none.
[[nodiscard]] std::string find_in_path(const std::string& command);

}  // namespace Atoll::process
