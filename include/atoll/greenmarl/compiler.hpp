// The Green-Marl compiler [shoal §4]: it reads the text of a procedure, and returns how each of its
// arrays is used and C++ that runs on Atoll's arrays. docs/green-marl.md says which part of the
// language it takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/pattern/access_pattern.hpp"

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

/// Int, Long, Float, Double, Bool, Node, Edge, named by their C++ types (Node, Edge: the graph's
/// ids).
enum class Type : std::uint8_t { int32, int64, float32, float64, boolean, node, edge };

/// "Int", "Long", …
[[nodiscard]] std::string_view to_string(Type type);

/// A scalar that the procedure takes.
struct Argument {
  std::string name;
  Type type = Type::float64;
  friend bool operator==(const Argument&, const Argument&) = default;
};

/// An array of the graph or a property, and how the procedure uses it.
struct ArrayUse {
  std::string name;  ///< for the graph's own, as in [shoal Table 1]
  Type type = Type::float64;
  AccessPattern pattern;
  bool result = false;  ///< an output of the procedure
  std::string group;    ///< arrays of one group swap their memory and need one layout; else ""
  friend bool operator==(const ArrayUse&, const ArrayUse&) = default;
};

/// A compiled procedure. Arrays stand in the order of [shoal Table 1]: the graph's own that are
/// used, then properties in the order of their declaration.
struct Program {
  std::string name;    ///< the procedure's name
  std::string source;  ///< its file's name, for messages
  std::vector<Argument> arguments;
  /// The arrays as the program declares them, before optimisation; deferred assignment has a second
  /// array.
  std::vector<ArrayUse> declared;
  /// The arrays as they are executed.
  std::vector<ArrayUse> final_arrays;
  /// A whole C++ program: a description with `final_arrays`, one function, main().
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
