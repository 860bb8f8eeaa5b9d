// Distinguishes machine files from the other names that --machine accepts.
#pragma once

#include <string>
#include <string_view>

namespace Atoll {

/// Returns `name` if Machine::open reads it as a file; "" if it is a preset, a synthetic
/// description or empty.
[[nodiscard]] inline std::string machine_file_of_name(std::string_view name) {
  return std::string(name.ends_with(".json") || name.ends_with(".xml") ? name : "");
}

}  // namespace Atoll
