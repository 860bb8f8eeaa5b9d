// Each verb of `atoll` is one file, verb_NAME.cpp, and one row in the table of main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Atoll::cli {

/// Adds the verb's subcommand to `app`. Its callback does the work and throws Error if it can't.
void add_machine(CLI::App& app);
void add_compile(CLI::App& app);
void add_graph(CLI::App& app);
void add_reorder(CLI::App& app);
void add_report(CLI::App& app);
void add_diff(CLI::App& app);
void add_advise(CLI::App& app);
void add_schedule(CLI::App& app);
/// `command` is what follows "--"; nothing if there is no "--".
void add_profile(CLI::App& app, const std::optional<std::vector<std::string>>& command);
void add_trace(CLI::App& app, const std::optional<std::vector<std::string>>& command);
void add_run(CLI::App& app, const std::optional<std::vector<std::string>>& command);
/// The same; empty if there is no "--".
void add_simulate(CLI::App& app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
