// Shows diagnostics: a line each and, on a terminal, the program's line with a caret.
#include "cli/program_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "atoll/base/log.hpp"

namespace Atoll::cli {
namespace {

void tell_excerpt(const greenmarl::Diagnostic& diagnostic) {
  if (::isatty(STDERR_FILENO) != 0) tell(diagnostic.excerpt + "\n");
}

void tell_all(const greenmarl::Diagnostic& diagnostic) {
  tell(fmt::format("atoll: {}\n", diagnostic.to_string()));
  tell_excerpt(diagnostic);
}

}  // namespace

void add_program_options(CLI::App& app, greenmarl::CompileOptions& options) {
  app.add_option("--proc", options.procedure,
                 "the procedure of a file of several (default: the first that isn't Local)")
      ->type_name("NAME")
      ->group("Green-Marl");
  app.add_option_function<std::string>(
         "-W", [&options](const std::string&) { options.warnings_are_errors = true; },
         "-Werror: warnings are errors")
      ->check(CLI::IsMember({"error"}))
      ->type_name("error")
      ->group("Green-Marl");
  app.add_flag_callback(
         "--no-foreign", [&options] { options.foreign = false; }, "refuse foreign text, [ … ]")
      ->group("Green-Marl");
}

greenmarl::Program compile_program(const std::string& path,
                                   const greenmarl::CompileOptions& options) {
  greenmarl::Program program = greenmarl::compile_file(path, options);
  for (const greenmarl::Diagnostic& warning : program.warnings) tell_all(warning);
  return program;
}

void tell_rest(const std::vector<greenmarl::Diagnostic>& diagnostics) {
  const auto first = std::ranges::find(diagnostics, true, &greenmarl::Diagnostic::error);
  if (first == diagnostics.end()) return;
  tell_excerpt(*first);
  for (auto other = diagnostics.begin(); other != diagnostics.end(); ++other)
    if (other != first) tell_all(*other);
}

}  // namespace Atoll::cli
