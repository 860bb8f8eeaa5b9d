// Chooses names in the emitted C++: the program's own where that is possible.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::greenmarl {

/// Returns the name itself, or with "gm_" before it if C++, its macros or the emitted code need it.
[[nodiscard]] std::string cpp_name(std::string_view name);

/// Names visible at the current place of the emitted code; no name hides another.
class NameScopes {
 public:
  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  /// Returns cpp_name(wished), with a number if it is taken.
  std::string declare(std::string_view wished);

 private:
  std::vector<std::set<std::string>> levels_;
};

}  // namespace Atoll::greenmarl
