// Chooses the names in the emitted C++: the program's own names where possible.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace Atoll::greenmarl {

/// Returns the name, prefixed with "gm_" if it is reserved in C++, a macro, or used by the emitted
/// code.
[[nodiscard]] std::string cpp_name(std::string_view name);

/// The names visible at the current position in the emitted code. No name hides another.
class NameScopes {
 public:
  void open() { levels_.emplace_back(); }
  void close() { levels_.pop_back(); }
  /// Returns cpp_name(wished), with a number appended if the name is in use.
  std::string declare(std::string_view wished);

 private:
  std::vector<std::set<std::string>> levels_;
};

}  // namespace Atoll::greenmarl
