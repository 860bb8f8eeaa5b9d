// The text of a program, positions in it, and the two kinds of failure: fail() for the user's
// errors, InternalError for the compiler's own.
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

/// Throws SourceError.
[[noreturn]] void fail(const Source& source, Position at, std::string_view message,
                       std::string_view way_out);
/// Throws SourceError "… is not supported yet".
[[noreturn]] void fail_unsupported(const Source& source, Position at, std::string_view construct,
                                   std::string_view way_out = {});

/// A state that no program can cause.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace Atoll::greenmarl
