// `atoll run PROG.gm`: compiles the program, or takes it from the cache, and becomes it.
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

}  // namespace

void add_run(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("run", "Compile a Green-Marl program, place its arrays, run it");
  verb->add_option("program", options->program, "The Green-Marl program")
      ->required()
      ->type_name("PROG.gm");
  const auto before = verb->get_options();
  program::add_run_options(*verb, options->run);
  for (CLI::Option* option : verb->get_options())
    if (std::find(before.begin(), before.end(), option) == before.end())
      options->of_run.push_back(option);
  verb->add_option("--cxx", options->build.cxx, "C++ compiler ($CXX, or one that is installed)")
      ->type_name("COMMAND");
  verb->add_option("--march", options->build.march, "CPU to compile for (native)")
      ->type_name("CPU");
  verb->footer(
      "Prints how each array is used, the layout it got and why, where its pages really\n"
      "are, times, and the highest values of each result.\n\n"
      "  atoll run pagerank.gm --graph web.el --arg e=1e-9 --arg d=0.85 --arg max=100\n"
      "  atoll run pagerank.gm --graph web.el --dry-run --machine opteron-8x8\n\n"
      "Compiled programs are kept in $XDG_CACHE_HOME/atoll or ~/.cache/atoll.");
  verb->callback([options] { run(*options); });
}

}  // namespace Atoll::cli
