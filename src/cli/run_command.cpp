// `atoll run [--plan PLAN | --policy NAME] -- COMMAND…` runs a program with placement, and ends as
// the program ended.
#include "cli/run_command.hpp"

#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "apply/follow_schedule.hpp"
#include "apply/run_applied.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/read_file.hpp"
#include "process/sanitizers.hpp"

namespace Atoll::cli {
namespace {

/// Ends `atoll` as the command ended: with the same exit code or by the same signal.
[[noreturn]] void end_as(int status) {
  std::fflush(nullptr);
  if (!WIFSIGNALED(status)) std::exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};  // the program has written its own core file
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(WTERMSIG(status), SIG_DFL);
  std::raise(WTERMSIG(status));
  std::_Exit(128 + WTERMSIG(status));
}

}  // namespace

ProgramPlan read_plan(const std::string& path) {
  constexpr std::string_view kWayOut = "give a plan as 'atoll advise -o PLAN' writes it";
  const auto check_first = [&](std::string_view first) {
    if (first.find('\0') == first.npos) return;
    if (first.starts_with("SQLite"))
      (void)plan_from_json(first, path);  // throws an error that names the file a profile
    throw Error::input(path, "is no plan: it has a zero byte", kWayOut);
  };
  return plan_from_json(read_file(path, {.way_out = kWayOut, .check_first = check_first}), path);
}

std::vector<CommandPolicy> command_policies() {
  std::vector<CommandPolicy> policies;
  for (const apply::RunPolicy& policy : apply::run_policies())
    policies.push_back({policy.name, policy.about});
  return policies;
}

void run_command(const CommandRun& run, const std::vector<std::string>& command) {
  std::optional<apply::FollowSchedule> followed;
  if (!run.schedule.empty() && !command.empty()) {
    process::refuse_sanitizer(command.front());
    followed.emplace(run.schedule, run.follow);
  }
  if (command.empty())
    throw Error::input("--", "no command follows",
                       "write atoll run --policy interleave -- ./program its arguments");
  const std::string_view policy = run.policy.empty() ? "os" : std::string_view(run.policy);
  const int status =
      run.plan.empty()
          ? std::ranges::find(apply::run_policies(), policy, &apply::RunPolicy::name)->run(command)
          : apply::run_with_plan(read_plan(run.plan), run.plan, command);
  if (followed && status == 0) followed->check_use(command.front());
  followed.reset();
  end_as(status);
}

}  // namespace Atoll::cli
