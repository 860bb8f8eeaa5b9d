// Each verb of `atoll` is one file, verb_NAME.cpp, and one row in the table of main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>
#include "atoll/options/command.hpp"

namespace Atoll::cli {

/// Adds the verb's subcommand to `app`. Its callback does the work and throws Error if it can't.
void add_machine(options::Command app);
void add_compile(options::Command app);
void add_graph(options::Command app);
void add_reorder(options::Command app);
void add_report(options::Command app);
void add_diff(options::Command app);
void add_advise(options::Command app);
void add_schedule(options::Command app);
/// `command` is what follows "--"; nothing if there is no "--".
void add_profile(options::Command app, const std::optional<std::vector<std::string>>& command);
void add_trace(options::Command app, const std::optional<std::vector<std::string>>& command);
void add_run(options::Command app, const std::optional<std::vector<std::string>>& command);
/// The same; empty if there is no "--".
void add_simulate(options::Command app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
