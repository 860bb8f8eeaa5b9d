// `atoll run PROG.gm`: compiles the program, or takes it from the cache, and executes it in this
// process. --dry-run compiles no C++. `atoll run -- COMMAND` is in run_command.cpp.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/graph/graph.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "atoll/greenmarl/driver.hpp"
#include "atoll/program/options.hpp"
#include "atoll/program/program.hpp"
#include "cli/program_options.hpp"
#include "cli/run_command.hpp"
#include "cli/verb.hpp"
#include "program/call.hpp"

namespace Atoll::cli {
namespace {

struct RunOptions {
  std::string program;
  CommandRun command;
  std::string layout_policy;
  program::RunOptions run;
  greenmarl::BuildOptions build;
  greenmarl::CompileOptions compile;
  std::vector<options::Option> of_programs;  ///< options that have no meaning for commands
  std::vector<options::Option> forwarded;    ///< options that are passed on to the compiled program
};

/// Returns the run's options as given, for the compiled program's command line.
std::vector<std::string> words_of_run(const RunOptions& options) {
  std::vector<std::string> words;
  for (const options::Option& option : options.forwarded) {
    if (!option.is_given()) continue;
    if (option.is_flag()) {
      words.push_back(option.name());
      continue;
    }
    for (const std::string& value : option.words()) {
      words.push_back(option.name());
      words.push_back(value);
    }
  }
  return words;
}

/// Returns the id widths of a run on these graphs; all widths if they are known only after reading
/// a graph.
greenmarl::Ids ids_of(const std::vector<std::string>& graphs) {
  graph::IdWidths widest;
  for (const std::string& graph : graphs) {
    const std::optional<graph::IdWidths> widths = graph::widths_of(graph);
    if (!widths) return greenmarl::Ids::all;
    widest.node = std::max(widest.node, widths->node);
    widest.edge = std::max(widest.edge, widths->edge);
  }
  if (widest.edge == graph::IdWidth::narrow) return greenmarl::Ids::narrow;
  return widest.node == graph::IdWidth::narrow ? greenmarl::Ids::mixed : greenmarl::Ids::wide;
}

void run_program(RunOptions& options) {
  const greenmarl::CompiledProcedure program = compile_program(options.program, options.compile);
  if (!program.procedure.graphs.empty() && options.run.graphs.empty())
    throw Error::input("--graph", "is missing: what to run " + options.program + " on",
                       "write atoll run PROG.gm --graph FILE; a command follows '--'");
  for (const LayoutPolicy policy : {LayoutPolicy::cost, LayoutPolicy::shoal})
    if (options.command.policy == to_string(policy) || options.layout_policy == to_string(policy))
      options.run.policy = policy;
  check_separate_files(program::outputs_of(program::read_files(program.procedure, options.run)),
                       {options.program});
  if (options.run.dry_run) return program::dry_run(program.procedure, options.run);
  options.build.on_compile = [&](std::string_view line) {
    program::check_call(program.procedure, options.run);  // before the compilation
    if (::isatty(STDERR_FILENO) != 0) print_to_stderr(fmt::format("atoll: {}\n", line));
  };
  options.build.ids = ids_of(program::graph_files(program.procedure, options.run));
  const std::string binary = greenmarl::build(program, options.build).path;

  std::vector<std::string> words = words_of_run(options);
  words.insert(words.begin(), program.procedure.name);
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(binary.c_str(), arguments.data());
  throw Error::system(binary, "starting the compiled program", errno);
}

std::vector<std::string> policies_of_commands() {
  std::vector<std::string> names;
  for (const CommandPolicy& policy : command_policies()) names.emplace_back(policy.name);
  return names;
}

void check_is_of_program(const RunOptions& options) {
  if (!options.command.plan.empty())
    throw Error::input(
        "--plan", "a plan places a command, which follows '--'",
        "write atoll run --plan " + options.command.plan + " -- ./program its arguments");
  if (!options.command.schedule.empty())
    throw Error::input("--schedule", "a schedule is followed by a command, which follows '--'",
                       "write atoll run --schedule " + options.command.schedule + " -- ./program");
  if (options.program.empty())
    throw Error::input("", "there is nothing to run",
                       "write atoll run PROG.gm --graph FILE, or atoll run -- COMMAND");
}

void check_is_of_command(const RunOptions& options) {
  if (!options.program.empty())
    throw Error::input(options.program, "is in front of '--', which ends the options",
                       "write either atoll run PROG.gm … or atoll run … -- COMMAND");
  for (const options::Option& option : options.of_programs)
    if (option.is_given())
      throw Error::input(option.name(), "is for Green-Marl programs only",
                         "a command's own options follow its name, after '--'");
}

/// Returns the file of the Green-Marl program. Throws Error (input) if the word is a command.
std::string program_file(const std::string& word) {
  std::string file = greenmarl::find_program(word);
  std::error_code error;
  if (!std::filesystem::exists(file, error) && is_command(word))
    throw Error::input(word, "is a command, not a Green-Marl program",
                       "write atoll run -- " + word);
  return file;
}

bool is_of_command(const options::Option& option) {
  static constexpr std::array<std::string_view, 4> kNames{"--plan", "--schedule", "--strict",
                                                          "--always"};
  return std::ranges::find(kNames, option.name()) != kNames.end();
}

/// Adds --layout-policy for programs and --policy for commands. The latter was the name of both,
/// and still takes the policies of programs.
options::Option add_policies(options::Command verb, RunOptions& options, bool of_command) {
  const options::Option old = verb.option("--layout-policy");
  const std::string of_programs = old.description();
  verb.remove(old);
  const std::vector<std::string> of_commands = policies_of_commands();
  const options::Check for_command = value::one_of(of_commands, false),
                       for_program = value::one_of({std::string(to_string(LayoutPolicy::cost)),
                                                    std::string(to_string(LayoutPolicy::shoal))},
                                                   false);
  const auto check = [=](const std::string& name) {
    if (of_command) return for_command.refusal(name);
    if (std::ranges::find(of_commands, name) == of_commands.end()) return for_program.refusal(name);
    return fmt::format(
        "'{0}' places a command, which follows '--': atoll run --policy {0} -- ./program", name);
  };
  verb.add_option("--layout-policy", options.layout_policy, of_programs)
      .check(for_program)
      .type_name("NAME");
  return verb.add_option("--policy", options.command.policy, "One of those below (os)")
      .check(check)
      .type_name("NAME");
}

constexpr std::string_view kUsageOfPrograms =
    "Usage: atoll run PROG.gm --graph FILE [OPTIONS]\n"
    "       atoll run [OPTIONS] -- COMMAND       with its own help: atoll help run --\n";
constexpr std::string_view kUsageOfCommands =
    "Usage: atoll run [--plan PLAN | --policy NAME] -- COMMAND its arguments\n"
    "       atoll run --schedule FILE [--strict] [--always] -- COMMAND its arguments\n"
    "       atoll run PROG.gm [OPTIONS]           with its own help: atoll help run\n";

constexpr std::string_view kFooterOfPrograms =
    "Prints how each array is used, the layout it got and why, where its pages really\n"
    "are, times, and the highest values of each result. Compiled programs are kept in\n"
    "$XDG_CACHE_HOME/atoll or ~/.cache/atoll.\n\n"
    "  atoll run pagerank.gm --graph web.el --arg e=1e-9 --arg d=0.85 --arg max=100\n"
    "  atoll run pagerank.gm --graph web.el --dry-run --machine opteron-8x8\n\n"
    "docs/graph-programs.md";

std::string footer_of_commands() {
  std::string policies;
  for (const CommandPolicy& policy : command_policies())
    policies += fmt::format("  {:<15}{}\n", policy.name, policy.about);
  return "By a plan, threads are bound as they are created and objects placed as they are\n"
         "allocated; afterwards a table says by what each was recognised. The plan may\n"
         "come from an instrumented build: the plain one is recognised too. Full nodes\n"
         "spill to others. The call ends as the command ends: with its exit code, or by\n"
         "its signal. SIGINT, SIGTERM and the like go to the command. A path such as\n"
         "./app needs no --: docs/command-line.md.\n\n"
         "  atoll run --plan app.plan.json -- ./app its arguments\n"
         "  atoll run --policy interleave ./app its arguments\n"
         "  atoll run --schedule app.schedule -- ./app its arguments\n\n"
         "Policies:\n" +
         policies;
}

/// Hides the options of programs, or those of commands.
void hide_options(options::Command verb, const RunOptions& options, bool of_programs) {
  for (options::Option option : verb.options()) {
    const bool is_of_program =
        std::ranges::find(options.of_programs, option) != options.of_programs.end() ||
        option.name() == "program";
    const bool is_of_command_only = is_of_command(option) || option.name() == "--policy";
    if (of_programs ? is_of_program : is_of_command_only) option.group("");
  }
}

}  // namespace

void add_run(options::Command app, const std::optional<std::vector<std::string>>& command) {
  auto options = std::make_shared<RunOptions>();
  const options::Command verb =
      app.add_verb("run", "Run a Green-Marl program, or any command, placed");
  verb.usage(std::string(command ? kUsageOfCommands : kUsageOfPrograms));
  verb.add_option("program", options->program,
                  "The Green-Marl program: a file, or the name of an installed one")
      .type_name("PROG.gm");
  const auto before = verb.options();
  program::add_run_options(verb, options->run);
  const options::Option policy = add_policies(verb, *options, command.has_value());
  verb.add_option("--plan", options->command.plan, "The plan (docs/plan-file.md)")
      .type_name("PLAN")
      .excludes(policy);
  const options::Option schedule =
      verb.add_option("--schedule", options->command.schedule,
                      "Loops of tasks follow this schedule (docs/tasks.md)")
          .type_name("FILE");
  verb.add_flag("--strict", options->command.follow.strict,
                "A loop that the schedule doesn't fit is an error")
      .needs(schedule);
  verb.add_flag("--always", options->command.follow.always,
                "Follow the schedule also where that is predicted not to pay")
      .needs(schedule);
  verb.option("--graph").required(false);  // a command needs none
  for (options::Option option : verb.options()) {
    if (std::ranges::find(before, option) != before.end() || is_of_command(option)) continue;
    options->forwarded.push_back(option);
    if (option != policy && option.name() != "--json") options->of_programs.push_back(option);
  }
  for (options::Option option : add_program_options(verb, options->compile))
    options->of_programs.push_back(option);
  options->of_programs.push_back(
      verb.add_option("--cxx", options->build.cxx, "C++ compiler ($CXX, or one that is installed)")
          .type_name("COMMAND"));
  options->of_programs.push_back(
      verb.add_option("--march", options->build.march, "CPU to compile for (native)")
          .type_name("CPU"));
  hide_options(verb, *options, command.has_value());
  verb.footer(command ? footer_of_commands() : std::string(kFooterOfPrograms));
  verb.run([options, command] {
    if (command) {
      check_is_of_command(*options);
      options->command.json = options->run.json;
      run_command(options->command, *command);
    }
    check_is_of_program(*options);
    options->program = program_file(options->program);
    run_program(*options);
  });
}

}  // namespace Atoll::cli
