// `atoll simulate`: predicts a program's run time on another machine.
#include <fmt/format.h>

#include <cstdlib>
#include <limits>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/base/log.hpp"
#include "atoll/greenmarl/compiler.hpp"
#include "atoll/greenmarl/driver.hpp"
#include "atoll/options/checks.hpp"
#include "atoll/program/options.hpp"
#include "atoll/recording/read_stream.hpp"
#include "atoll/simulate/simulate.hpp"
#include "cli/profile_text.hpp"
#include "cli/program_options.hpp"
#include "cli/run_command.hpp"
#include "cli/simulate_text.hpp"
#include "cli/stdout_to_stderr.hpp"
#include "cli/verb.hpp"
#include "cli/watch_options.hpp"
#include "process/child.hpp"
#include "recording/frontends/frontend_table.hpp"
#include "simulate/command.hpp"

namespace Atoll::cli {
namespace {

struct Words {
  WatchWords watch;
  simulate::Options options;
  std::string trace, machine, layout, plan, pages = "auto";
  std::vector<std::string> layout_of, graphs, arguments;
  bool json = false, no_interval = false;
};

const std::map<std::string, simulate::ObjectLayout> kLayouts{
    {"first-touch", simulate::ObjectLayout::first_touch},
    {"single", simulate::ObjectLayout::single},
    {"distributed", simulate::ObjectLayout::distributed},
    {"partitioned", simulate::ObjectLayout::partitioned},
    {"replicated", simulate::ObjectLayout::replicated}};
const std::map<std::string, simulate::PlacementPolicy> kPolicies{
    {"os", simulate::PlacementPolicy::os},
    {"compact", simulate::PlacementPolicy::compact},
    {"interleave", simulate::PlacementPolicy::interleave}};

void read_words(Words& words) {
  if (words.pages != "auto") {
    words.options.pages = page_size_from_string(words.pages);
    if (!words.options.pages)
      throw Error::input("--pages " + words.pages, "is no size of pages",
                         "take auto, 4k, 2m or 1g");
    // --pages with a huge size applies to all pages
    if (*words.options.pages == PageSize::huge) words.options.pages = PageSize::pool_2m;
  }
  for (const std::string& word : words.layout_of) {
    const std::size_t equals = word.rfind('=');
    const auto layout =
        equals == std::string::npos ? kLayouts.end() : kLayouts.find(word.substr(equals + 1));
    if (layout == kLayouts.end())
      throw Error::input("--layout-of " + word, "isn't an object and its layout",
                         "write NAME=KIND, e.g. ranks=distributed");
    words.options.layout_of.emplace_back(word.substr(0, equals), layout->second);
  }
  if (!words.plan.empty()) words.options.plan = read_plan(words.plan);
  words.options.interval = !words.no_interval;
  words.options.only_between_marks = words.watch.between_marks;
  words.options.iterations = words.watch.iterations;
}

bool is_green_marl(const Words& words) {
  return words.trace.ends_with(".gm");
}

/// Makes the command of a compiled Green-Marl program. Only its procedure is timed.
void prepare_program(Words& words, const Machine& machine) {
  const greenmarl::CompiledProcedure program = compile_program(words.trace, {});
  if (!program.procedure.graphs.empty() && words.graphs.empty())
    throw Error::input("--graph", "is missing: what to run " + words.trace + " on",
                       "write atoll simulate PROG.gm --graph FILE");
  greenmarl::BuildOptions build;
  build.march = "x86-64-v3";  // the emulator doesn't support AVX-512
  std::vector<std::string>& command = words.watch.command;
  command = {greenmarl::build(program, build).path};
  const auto add = [&](const char* option, const std::string& value) {
    command.emplace_back(option);
    command.push_back(value);
  };
  for (const std::string& graph : words.graphs) add("--graph", graph);
  for (const std::string& argument : words.arguments) add("--arg", argument);
  // Without an option, the simulation follows the layouts that the program requests by system
  // calls.
  if (!words.layout.empty()) add("--layout", words.layout);
  words.options.layout = simulate::ObjectLayout::first_touch;
  // The program's default is a thread for each core of this computer.
  add("--threads",
      std::to_string(words.options.threads != 0 ? static_cast<std::size_t>(words.options.threads)
                                                : machine.processors().size()));
  words.options.only_between_marks = words.watch.between_marks = true;
}

void print(const simulate::Result& result, bool json) {
  if (json) {
    fmt::print("{}\n", simulate::to_json(result));
    return;
  }
  for (const std::string& line : simulate_text(result)) fmt::print("{}\n", printable(line));
}

void simulate_file(Words& words) {
  read_words(words);
  const Machine machine = Machine::open(words.machine);
  print(simulate::simulate_trace(words.trace, machine, words.options), words.json);
}

void simulate_command(Words& words) {
  read_words(words);
  const Machine machine = Machine::open(words.machine);
  if (is_green_marl(words)) prepare_program(words, machine);
  const recording::WatchOptions watch = watch_options(words.watch);
  if (requests_samples(watch))
    throw Error::input(fmt::format("--frontend {}", to_string(*watch.frontend)),
                       "samples aren't all accesses",
                       "take " + recording::alternatives(recording::frontend_words(false)));
  simulate::CommandResult done;
  {
    const StdoutToStderr output(words.json);
    done = simulate::simulate_command(watch, machine, words.options);
  }
  print_signal(words.watch, done.status);
  const int code = process::exit_code_of_status(done.status);
  // A Green-Marl program that rejects its graph or arguments has printed the reason; there is no
  // result.
  if (code == 2 && is_green_marl(words)) {
    if (words.json)
      fmt::print("{}\n", error_json(words.trace, "refused its graph or its arguments",
                                    "its message is on standard error", code));
    throw AlreadyReported{};
  }
  print(done.result, words.json);
  std::fflush(stdout);
  if (code != 0) std::exit(code);
}

}  // namespace

void add_simulate(options::Command app, const std::vector<std::string>& command) {
  const auto words = std::make_shared<Words>();
  words->watch.command = command;
  const options::Command verb =
      app.add_verb("simulate", "What time a program would take on another machine, and why");
  verb.add_option("TRACE", words->trace,
                  "A trace (atoll trace --timed -o TRACE) or a Green-Marl program (*.gm); or a\n"
                  "command after --");
  verb.add_option("--graph", words->graphs, "Of a Green-Marl program: as atoll run has it")
      .one_word_each()
      .type_name("FILE");
  verb.add_option("--arg", words->arguments, "The same: NAME=VALUE, repeat for each")
      .one_word_each()
      .type_name("NAME=VALUE");
  program::add_machine_option(verb, words->machine,
                              "The machine: a preset, a machine file, hwloc XML or description "
                              "(this computer)");
  verb.add_option("--threads", words->options.threads,
                  "Of a command: the processing units that it may use at its start (all).\n"
                  "Of a trace: the threads that it has")
      .check(value::count(1, std::numeric_limits<int>::max()))
      .type_name("N");
  verb.add_option_function<std::string>(
          "--layout",
          [words](const std::string& name) {
            words->layout = name;
            words->options.layout = kLayouts.at(name);
          },
          "Of all objects: first-touch (default), single, distributed, partitioned\n"
          "or replicated")
      .check(value::one_of(kLayouts))
      .type_name("KIND");
  verb.add_option("--layout-of", words->layout_of,
                  "Of one object, by its name or file:line; repeat for each")
      .type_name("OBJECT=KIND")
      .one_word_each();
  verb.add_option("--pages", words->pages,
                  "auto (default): 2m where an object has all of one; or 4k, 2m, 1g")
      .type_name("SIZE");
  verb.add_option_function<std::string>(
          "--policy",
          [words](const std::string& name) { words->options.policy = kPolicies.at(name); },
          "os (default): threads on all nodes, pages by first touch; compact: threads\n"
          "side by side; interleave: pages in turn over the threads' nodes")
      .check(value::one_of(kPolicies))
      .type_name("NAME");
  verb.add_option("--plan", words->plan,
                  "Threads stand and objects lie as this plan says (docs/plan-file.md), which\n"
                  "wins over layouts and policy")
      .type_name("PLAN");
  verb.add_flag("--between-marks", words->watch.between_marks,
                "Time counts from atoll_mark_begin() to atoll_mark_end()");
  verb.add_option("--iterations", words->watch.iterations,
                  "Time counts in the first N iterations of the loop that calls\n"
                  "atoll_mark_iteration()")
      .check(value::count(1, std::numeric_limits<int>::max()))
      .type_name("N");
  add_frontend_option(verb, words->watch, Frontends::recording_every_access);
  verb.add_flag("--no-interval", words->no_interval,
                "Leave out between what the time lies, which costs as much again");
  verb.add_flag("--json", words->json, "Print JSON; a command's output goes to standard error");
  verb.footer(
      "  atoll simulate --machine opteron-8x8 t           a trace\n"
      "  atoll simulate --machine xeon-x7550 -- ./app     a program, as it runs\n"
      "  atoll simulate --machine opteron-8x8 --layout distributed t\n\n"
      "docs/simulate.md says what is modelled and what is not.");
  verb.run([words] {
    if (!words->watch.command.empty()) {
      if (!words->trace.empty())
        throw Error::input(words->trace, "a trace and a command", "give one of them");
      return simulate_command(*words);
    }
    if (words->trace.empty())
      throw Error::input("TRACE", "is missing", "name a trace, or a command after --");
    if (is_green_marl(*words)) return simulate_command(*words);
    if (!words->graphs.empty() || !words->arguments.empty())
      throw Error::input(words->trace, "is no Green-Marl program (*.gm)",
                         "leave --graph and --arg out");
    simulate_file(*words);
  });
}

}  // namespace Atoll::cli
