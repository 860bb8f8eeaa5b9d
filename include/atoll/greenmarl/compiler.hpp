// The Green-Marl compiler [shoal §4]: it reads the text of a procedure, and returns how each of its
// arrays is used and C++ that runs on Atoll's arrays. docs/green-marl.md says which part of the
// language it takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/pattern/procedure.hpp"

namespace Atoll::greenmarl {

/// An error at one position of a program. what() is one line, "FILE:LINE:COLUMN: message; way out".
class SourceError : public Error {
 public:
  SourceError(std::string_view file, int line, int column, std::string_view source_line,
              std::string_view message, std::string_view way_out);

  /// Line and column count from 1; the column counts characters.
  [[nodiscard]] int line() const noexcept { return line_; }
  [[nodiscard]] int column() const noexcept { return column_; }
  /// Two lines, without a line break at the end: the line of the program, and a caret below the
  /// position. Long lines are cut to the part around it.
  [[nodiscard]] const std::string& excerpt() const noexcept { return excerpt_; }

 private:
  int line_;
  int column_;
  std::string excerpt_;
};

using Type = ValueType;  ///< the compiler speaks of no other types

/// A compiled procedure.
struct Program {
  std::string source;  ///< its file's name as it was given, for messages
  /// What is executed, after optimisation.
  Procedure procedure;
  /// The arrays as the program declares them, before optimisation; deferred assignment has a second
  /// array.
  std::vector<ArrayUse> declared;
  /// A whole C++ program: `procedure` as a literal, one function, main().
  std::string cpp;
};

/// Counts in patterns are polynomials in N (nodes), E (edges), `deg` (E / N, for the neighbours of
/// one node) and k, k2, … (how often the bodies of the procedure's first, second, … While or Do
/// loop run in all). A condition counts as always true, and both branches of an If as taken.
///
/// Throws SourceError; no text makes it fail in another way.
[[nodiscard]] Program compile(std::string_view text, std::string_view file_name);
/// Reads the file first, and throws Error (input) if it can't.
[[nodiscard]] Program compile_file(const std::string& path);

}  // namespace Atoll::greenmarl
