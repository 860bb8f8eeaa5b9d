// Functions that add the verbs of `atoll`. A verb is a file, verb_NAME.cpp, and a row in the table
// of main.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>
#include "atoll/options/command.hpp"

namespace Atoll::cli {

/// Each adds its verb to `app`. The verb's callback does the work, and throws Error on failure.
void add_machine(options::Command app);
void add_compile(options::Command app);
void add_graph(options::Command app);
void add_reorder(options::Command app);
void add_report(options::Command app);
void add_diff(options::Command app);
void add_advise(options::Command app);
void add_schedule(options::Command app);
/// `command` is the words after "--"; empty optional if there is no "--".
void add_profile(options::Command app, const std::optional<std::vector<std::string>>& command);
void add_trace(options::Command app, const std::optional<std::vector<std::string>>& command);
void add_run(options::Command app, const std::optional<std::vector<std::string>>& command);
/// Likewise; an empty vector if there is no "--".
void add_simulate(options::Command app, const std::vector<std::string>& command);

}  // namespace Atoll::cli
