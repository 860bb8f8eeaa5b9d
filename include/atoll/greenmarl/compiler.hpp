// The Green-Marl compiler [shoal §4]. Compiles a procedure's text to C++ on Atoll's arrays, and
// derives the access pattern of each array. docs/green-marl.md describes the supported part of the
// language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/pattern/procedure.hpp"

namespace Atoll::greenmarl {

/// An error or warning at one position of a program.
struct Diagnostic {
  bool error = true;  ///< false: a warning
  std::string file;
  int line = 1;    ///< counts from 1
  int column = 1;  ///< counts characters from 1
  std::string message;
  std::string way_out;
  std::string excerpt;  ///< two lines: the program's line, and a caret below the position

  /// Returns "FILE:LINE:COLUMN: message; way out"; for a warning, "warning: " precedes the message.
  [[nodiscard]] std::string to_string() const;
};

/// A program that can't be compiled. what() is the line of the first error.
class CompileError : public Error {
 public:
  /// `diagnostics` must contain an error.
  explicit CompileError(std::vector<Diagnostic> diagnostics);
  /// Errors and warnings, in the order of the text.
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const noexcept { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A compiled procedure.
struct CompiledProcedure {
  std::string source;  ///< the file's name as given by the caller, for messages
  /// The generated code's procedure, after optimisation.
  Procedure procedure;
  /// The declared arrays, before optimisation; includes the second arrays of deferred assignments.
  std::vector<ArrayUse> declared;
  /// A whole C++ program: `procedure` as a literal, one function, main().
  std::string cpp;
  std::vector<Diagnostic> warnings;  ///< in the order of the text
  std::string function;              ///< the part of `cpp` with the function and the description
  std::string function_name{};
};

/// Compiled procedures that C programs can call.
struct Library {
  std::string name;  ///< prefix of its C functions
  std::vector<CompiledProcedure> procedures;
  std::string cpp;
  std::string header;  ///< the C header
};

/// Selects the procedure to compile, and the features to refuse.
struct CompileOptions {
  std::string procedure;  ///< "": the first procedure that isn't Local
  bool warnings_are_errors = false;
  bool foreign = true;  ///< false: foreign text is an error
};

/// Counts in patterns are polynomials in N (nodes), E (edges), `deg` (E / N, for the neighbours of
/// one node) and k, k2, … (total executions of the body of the procedure's first, second, … While
/// or Do loop). Conditions count as always true, and both branches of an If as taken.
/// Throws CompileError for any text that can't be compiled, and Error (input) if the procedure
/// doesn't exist.
[[nodiscard]] CompiledProcedure compile(std::string_view text, std::string_view file_name,
                                        const CompileOptions& options = {});
/// Reads and compiles a file. Throws Error (input) if it can't be read.
[[nodiscard]] CompiledProcedure compile_file(const std::string& path,
                                             const CompileOptions& options = {});

/// Compiles a file to a library with the name `name`, which must be a C identifier. The library has
/// all procedures that aren't Local, or only options.procedure. Throws as compile_file() does.
[[nodiscard]] Library compile_library(const std::string& path, const std::string& name,
                                      const CompileOptions& options = {});

}  // namespace Atoll::greenmarl
