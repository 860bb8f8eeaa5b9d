// Tells machine files from the other names that --machine takes.
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// Returns the name if Machine::open reads the file of that name, or "" if the name is a preset's,
/// a synthetic description or empty.
[[nodiscard]] inline std::string machine_file_of_name(std::string_view name) {
  return std::string(name.ends_with(".json") || name.ends_with(".xml") ? name : "");
}

}  // namespace Atoll
