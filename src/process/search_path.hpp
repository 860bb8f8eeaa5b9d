// The folders of $PATH.
#pragma once

#include <functional>
#include <string>

namespace Atoll::process {

/// Calls `found` with each place in $PATH where `name` may be, until it returns true.
void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found);

/// Returns the file that a command's first word stands for, as execvp finds it; "" if there is
/// none.
[[nodiscard]] std::string find_in_path(const std::string& command);

}  // namespace Atoll::process
