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

/// A mistake or a doubt at one position of a program.
struct Diagnostic {
  bool error = true;  ///< false: a warning
  std::string file;
  int line = 1;    ///< counts from 1
  int column = 1;  ///< counts characters from 1
  std::string message;
  std::string way_out;
  std::string excerpt;  ///< two lines: the program's, and a caret below the position

  /// "FILE:LINE:COLUMN: message; way out"; a warning says so after the position.
  [[nodiscard]] std::string to_string() const;
};

/// A program that can't be compiled. what() is the first error's line.
class CompileError : public Error {
 public:
  /// `diagnostics` holds an error.
  explicit CompileError(std::vector<Diagnostic> diagnostics);
  /// Errors and warnings, in the order of the text.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

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
  std::vector<Diagnostic> warnings;  ///< in the order of the text
  std::string function;              ///< of `cpp`, the function and the description
  std::string function_name{};
};

/// Compiled procedures that C programs call.
struct Library {
  std::string name;  ///< what its C functions begin with
  std::vector<Program> procedures;
  std::string cpp;
  std::string header;  ///< for C
};

/// What is compiled of a file, and what is refused.
struct CompileOptions {
  std::string procedure;  ///< of a file of several; "": the first that isn't Local
  bool warnings_are_errors = false;
  bool foreign = true;  ///< false: foreign text is refused
};

/// Counts in patterns are polynomials in N (nodes), E (edges), `deg` (E / N, for the neighbours of
/// one node) and k, k2, … (how often the bodies of the procedure's first, second, … While or Do
/// loop run in all). A condition counts as always true, and both branches of an If as taken.
///
/// Throws CompileError; no text makes it fail in another way. A procedure that isn't there is an
/// Error (input).
[[nodiscard]] Program compile(std::string_view text, std::string_view file_name,
                              const CompileOptions& options = {});
/// Reads the file first, and throws Error (input) if it can't.
[[nodiscard]] Program compile_file(const std::string& path, const CompileOptions& options = {});

/// Compiles the procedures of a file that aren't Local, or the one of the options, to a library of
/// that name, which is an identifier of C. Throws as compile_file() does.
[[nodiscard]] Library compile_library(const std::string& path, const std::string& name,
                                      const CompileOptions& options = {});

}  // namespace Atoll::greenmarl
