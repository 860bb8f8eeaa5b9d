// The text of a program and positions in it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace Atoll::greenmarl {

struct Source {
  std::string name;
  std::string text;
};

/// Line and column count from 1; the column counts characters. All positions compare equal, so that
/// trees of the same program in different layouts are equal.
struct Position {
  int line = 1;
  int column = 1;
  friend bool operator==(Position, Position) { return true; }
};

/// Returns the position after `text`, which begins at `at`.
[[nodiscard]] Position behind(Position at, std::string_view text);

/// Thrown in a state that no program text can cause.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace Atoll::greenmarl
