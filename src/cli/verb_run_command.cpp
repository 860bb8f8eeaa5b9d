// `atoll run [--plan PLAN | --policy NAME] -- COMMAND…`: runs any program placed.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/plan/program_plan.hpp"
#include "cli/verb.hpp"
#include "trace/place_run.hpp"

namespace Atoll::cli {
namespace {

struct Options {
  std::string plan, policy, program;
  std::vector<std::string> command;
};

ProgramPlan read_plan(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open() || std::filesystem::is_directory(path))
    throw Error::input(path, "can't be read", "give a plan as 'atoll advise -o PLAN' writes it");
  return plan_from_json(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

/// As the command ended, so ends `atoll`: by the same code or the same signal.
[[noreturn]] void end_as(int status) {
  std::fflush(nullptr);
  if (!WIFSIGNALED(status)) std::exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};  // the program has left its own
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  std::_Exit(128 + WTERMSIG(status));
}

void run(const Options& options) {
  if (!options.program.empty())
    throw Error::input(options.program, "is in front of '--', which ends the options",
                       "write either atoll run PROG.gm … or atoll run … -- COMMAND");
  if (options.command.empty())
    throw Error::input("--", "no command follows",
                       "write atoll run --policy interleave -- ./program its arguments");
  if (!options.plan.empty()) {
    const ProgramPlan plan = read_plan(options.plan);
    end_as(trace::run_with_plan(plan, options.plan, options.command));
  }
  const auto policies = trace::place_policies();
  end_as(
      std::ranges::find(policies, options.policy, &trace::PlacePolicy::name)->run(options.command));
}

}  // namespace

void add_run_command(CLI::App& app, const std::vector<std::string>& command) {
  auto options = std::make_shared<Options>();
  options->command = command;
  options->policy = "os";
  CLI::App* verb = app.add_subcommand("run", "Run a command placed by a plan or a policy");
  std::vector<std::string> names;
  std::string policies;
  for (const trace::PlacePolicy& policy : trace::place_policies()) {
    names.emplace_back(policy.name);
    policies += fmt::format("  {:<15}{}\n", policy.name, policy.about);
  }
  CLI::Option* plan =
      verb->add_option("--plan", options->plan, "The plan (docs/plan-file.md)")->type_name("PLAN");
  verb->add_option("--policy", options->policy, "One of those below (os)")
      ->check(CLI::IsMember(names))
      ->type_name("NAME")
      ->excludes(plan);
  verb->add_option("program", options->program)->group("");
  verb->footer("Policies:\n" + policies +
               "\n"
               "By a plan, threads are bound as they are created and objects placed as they are\n"
               "allocated; afterwards a table says by what each was recognised. The plan may\n"
               "come from an instrumented build: the plain one is recognised too.\n\n"
               "  atoll run --plan app.plan.json -- ./app its arguments\n"
               "  atoll run --policy interleave -- ./app its arguments\n\n"
               "It ends as the command ends: with its exit code, or by its signal. SIGINT,\n"
               "SIGTERM and the like go to the command. Full nodes spill to others.");
  verb->callback([options] { run(*options); });
}

}  // namespace Atoll::cli
