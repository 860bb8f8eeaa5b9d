// `atoll run PROG.gm`: compiles the program, or takes it from the cache, and becomes it. `atoll run
// -- COMMAND` is in verb_run_command.cpp.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "atoll/greenmarl/driver.hpp"
#include "atoll/program/options.hpp"
#include "cli/verb.hpp"
#include "trace/place_run.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  std::string program;
  program::RunOptions run;
  greenmarl::BuildOptions build;
  std::vector<CLI::Option*> of_run;  ///< what the compiled program is to be told
};

/// The options of the run as they were given, for the compiled program's own command line.
std::vector<std::string> forwarded(const Options& options) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options.of_run) {
    if (option->count() == 0) continue;
    if (option->get_items_expected_max() == 0) {
      words.push_back(option->get_name());
      continue;
    }
    for (const std::string& value : option->results()) {
      words.push_back(option->get_name());
      words.push_back(value);
    }
  }
  return words;
}

void run(Options& options) {
  const greenmarl::Program program = greenmarl::compile_file(options.program);
  if (::isatty(STDERR_FILENO) != 0)
    options.build.on_compile = [](std::string_view line) {
      std::fprintf(stderr, "atoll: %.*s\n", static_cast<int>(line.size()), line.data());
    };
  const std::string binary = greenmarl::build(program, options.build).path;

  std::vector<std::string> words = forwarded(options);
  words.insert(words.begin(), program.name);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(binary.c_str(), arguments.data());
  throw Error::system(binary, "starting the compiled program", errno);
}

/// `--plan` and the policies for commands are for calls with "--".
void refuse_what_places_commands(CLI::App& verb) {
  verb.add_option_function<std::string>(
          "--plan",
          [](const std::string& plan) {
            throw Error::input("--plan", "a plan places a command, which follows '--'",
                               "write atoll run --plan " + plan + " -- ./program its arguments");
          },
          "Places a command, after '--': atoll run --plan PLAN -- ./program\n"
          "(see 'atoll run --help --')")
      ->type_name("PLAN");
  CLI::Validator& check = *verb.get_option("--policy")->get_validator();
  check.operation([of_programs = check](std::string& name) {
    const auto of_commands = trace::place_policies();
    if (std::ranges::find(of_commands, name, &trace::PlacePolicy::name) == of_commands.end())
      return of_programs(name);
    return fmt::format(
        "'{0}' places a command, which follows '--': atoll run --policy {0} -- ./program", name);
  });
}

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("run", "Run a Green-Marl program, or any command, placed");
  verb->add_option("program", options->program, "The Green-Marl program")
      ->required()
      ->type_name("PROG.gm");
  const auto before = verb->get_options();
  program::add_run_options(*verb, options->run);
  for (CLI::Option* option : verb->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end())
      options->of_run.push_back(option);
  refuse_what_places_commands(*verb);
  verb->add_option("--cxx", options->build.cxx, "C++ compiler ($CXX, or one that is installed)")
      ->type_name("COMMAND");
  verb->add_option("--march", options->build.march, "CPU to compile for (native)")
      ->type_name("CPU");
  verb->footer(
      "Prints how each array is used, the layout it got and why, where its pages really\n"
      "are, times, and the highest values of each result.\n\n"
      "  atoll run pagerank.gm --graph web.el --arg e=1e-9 --arg d=0.85 --arg max=100\n"
      "  atoll run pagerank.gm --graph web.el --dry-run --machine opteron-8x8\n\n"
      "Compiled programs are kept in $XDG_CACHE_HOME/atoll or ~/.cache/atoll.\n\n"
      "Any other program is a command after '--', see 'atoll run --help --':\n"
      "  atoll run --plan app.plan.json -- ./app its arguments\n"
      "  atoll run --policy interleave -- ./app its arguments");
  verb->callback([options] { run(*options); });
}

}  // namespace Atoll::cli
