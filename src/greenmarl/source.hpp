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

/// Line and column count from 1; the column counts characters. Positions aren't compared: the same
/// program written differently is an equal tree.
struct Position {
  int line = 1;
  int column = 1;
  friend bool operator==(Position, Position) { return true; }
};

/// The position behind `text`, which begins at `at`.
[[nodiscard]] Position behind(Position at, std::string_view text);

/// A state that no program can cause.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace Atoll::greenmarl
