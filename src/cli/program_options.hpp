// What `compile` and `run` have in common of Green-Marl programs: options, and what the compiler
// has to say.
#pragma once

#include "atoll/options/command.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::cli {

/// The work ends with exit code 2, and why has been told.
struct Told {};

/// Adds --proc, -Werror and --no-foreign, and returns them.
std::vector<options::Option> add_program_options(options::Command app,
                                                 greenmarl::CompileOptions& options);

/// Compiles, and tells the warnings on standard error. Throws CompileError, or Error if the file
/// can't be read.
[[nodiscard]] greenmarl::Program compile_program(const std::string& path,
                                                 const greenmarl::CompileOptions& options);

/// Tells them on standard error, in their order.
void tell_diagnostics(const std::vector<greenmarl::Diagnostic>& diagnostics);

[[nodiscard]] nlohmann::json diagnostics_json(
    const std::vector<greenmarl::Diagnostic>& diagnostics);

}  // namespace Atoll::cli
