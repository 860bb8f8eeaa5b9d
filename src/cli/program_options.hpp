// Common parts of `compile` and `run` for Green-Marl programs: options, and the compiler's
// diagnostics.
#pragma once

#include "atoll/base/json.hpp"
#include "atoll/options/command.hpp"

#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::cli {

/// Thrown to end with exit code 2 when the reason has already been printed.
struct AlreadyReported {};

/// Adds --proc, -Werror and --no-foreign. Returns these options.
std::vector<options::Option> add_program_options(options::Command app,
                                                 greenmarl::CompileOptions& options);

/// Compiles a program, and prints warnings to standard error. Throws CompileError, or Error if the
/// file can't be read.
[[nodiscard]] greenmarl::CompiledProcedure compile_program(
    const std::string& path, const greenmarl::CompileOptions& options);

/// Prints diagnostics to standard error, in their order.
void print_diagnostics(const std::vector<greenmarl::Diagnostic>& diagnostics);

[[nodiscard]] Json diagnostics_json(const std::vector<greenmarl::Diagnostic>& diagnostics);

/// Returns the first error as error_json(), with exit code 2.
[[nodiscard]] std::string error_json_of(const std::vector<greenmarl::Diagnostic>& diagnostics);

}  // namespace Atoll::cli
