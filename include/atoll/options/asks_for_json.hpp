// Recognises --json before the options are parsed, since errors of the call are JSON, too.
#pragma once

#include <string_view>

namespace Atoll::options {

/// Returns true if --json is among the options of a call, which end at "--".
[[nodiscard]] inline bool asks_for_json(int argc, char** argv) {
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i)
    if (std::string_view(argv[i]) == "--json") return true;
  return false;
}

}  // namespace Atoll::options
