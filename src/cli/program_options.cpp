// Prints diagnostics as JSON, or as one line each; a terminal also shows the source line with a
// caret.
#include "cli/program_options.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "atoll/base/exit_code.hpp"
#include "atoll/base/log.hpp"

namespace Atoll::cli {

std::vector<options::Option> add_program_options(options::Command app,
                                                 greenmarl::CompileOptions& options) {
  std::vector<options::Option> added;
  added.push_back(app.add_option("--proc", options.procedure,
                                 "The procedure of a file of several (the first that isn't Local)")
                      .type_name("NAME"));
  added.push_back(app.add_option_function<std::string>(
                         "-W", [&options](const auto&) { options.warnings_are_errors = true; },
                         "-Werror: warnings are errors")
                      .type_name("error")
                      .check(value::one_of({"error"}, false)));
  added.push_back(app.add_flag_function(
      "--no-foreign", [&options] { options.foreign = false; }, "Refuse foreign text, [ … ]"));
  return added;
}

greenmarl::CompiledProcedure compile_program(const std::string& path,
                                             const greenmarl::CompileOptions& options) {
  greenmarl::CompiledProcedure program = greenmarl::compile_file(path, options);
  print_diagnostics(program.warnings);
  return program;
}

void print_diagnostics(const std::vector<greenmarl::Diagnostic>& diagnostics) {
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  for (const greenmarl::Diagnostic& diagnostic : diagnostics)
    print_to_stderr(fmt::format("atoll: {}\n{}", diagnostic.to_string(),
                                terminal ? diagnostic.excerpt + "\n" : ""));
}

Json diagnostics_json(const std::vector<greenmarl::Diagnostic>& diagnostics) {
  Json list = Json::array();
  for (const greenmarl::Diagnostic& diagnostic : diagnostics)
    list.push_back({{"file", diagnostic.file},
                    {"line", diagnostic.line},
                    {"column", diagnostic.column},
                    {"severity", diagnostic.error ? "error" : "warning"},
                    {"message", diagnostic.message},
                    {"way_out", diagnostic.way_out}});
  return list;
}

std::string error_json_of(const std::vector<greenmarl::Diagnostic>& diagnostics) {
  const auto first = std::ranges::find(diagnostics, true, &greenmarl::Diagnostic::error);
  if (first == diagnostics.end()) return error_json("", "the program is wrong", "", 2);
  return error_json(fmt::format("{}:{}:{}", first->file, first->line, first->column),
                    first->message, first->way_out, 2);
}

}  // namespace Atoll::cli
