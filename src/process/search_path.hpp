// The folders of $PATH.
#pragma once

#include <functional>
#include <string>

namespace Atoll::process {

/// Calls `found` with each place in $PATH where `name` may be, until it returns true.
void for_each_in_path(const std::string& name,
                      const std::function<bool(const std::string&)>& found);

}  // namespace Atoll::process
