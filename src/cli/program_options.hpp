// What `compile` and `run` have in common of Green-Marl programs: options, and what the compiler has
// to say.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::cli {

/// Adds --proc, -Werror and --no-foreign.
void add_program_options(CLI::App& app, greenmarl::CompileOptions& options);

/// Compiles, and tells the warnings on standard error. Throws CompileError, or Error if the file
/// can't be read.
[[nodiscard]] greenmarl::Program compile_program(const std::string& path,
                                                 const greenmarl::CompileOptions& options);

/// Tells, after the first error's line, its place and all other diagnostics.
void tell_rest(const std::vector<greenmarl::Diagnostic>& diagnostics);

}  // namespace Atoll::cli
