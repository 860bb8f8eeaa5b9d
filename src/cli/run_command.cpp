// `atoll run [--plan PLAN | --policy NAME] -- COMMAND…` runs a program with placement, and ends as
// the program ended.
#include "cli/run_command.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "apply/follow_schedule.hpp"
#include "apply/run_applied.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/read_file.hpp"
#include "cli/stdout_to_stderr.hpp"
#include "process/child.hpp"
#include "process/sanitizers.hpp"
#include "process/search_path.hpp"

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

std::string_view policy_of(const CommandRun& run) {
  return run.policy.empty() ? "os" : std::string_view(run.policy);
}

void print_run(const CommandRun& run, const std::vector<std::string>& command, int status,
               double seconds, const apply::PlanUse& use) {
  Json json{{"command", command}, {"seconds", seconds}};
  json["exit_code"] = process::exit_code_of_status(status);
  json["signal"] = WIFSIGNALED(status) ? Json(WTERMSIG(status)) : Json();
  if (!run.schedule.empty()) json["schedule"] = run.schedule;
  if (run.plan.empty()) {
    json["policy"] = policy_of(run);
  } else {
    json["plan"] = run.plan;
    json["threads"] = {{"planned", use.threads}, {"recognised", use.recognised_threads}};
    json["objects"] = {{"planned", use.objects}, {"recognised", use.recognised_objects}};
    json["missing"] = use.missing;
  }
  fmt::print("{}\n", json.dump(2));
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

bool is_command(const std::string& word) {
  const std::string path = process::find_in_path(word);
  return !path.empty() && ::access(path.c_str(), X_OK) == 0;
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
  const auto start = std::chrono::steady_clock::now();
  apply::PlanUse use;
  int status = 0;
  {
    const StdoutToStderr output(run.json);
    const auto policy =
        std::ranges::find(apply::run_policies(), policy_of(run), &apply::RunPolicy::name);
    status = run.plan.empty() ? policy->run(command)
                              : apply::run_with_plan(read_plan(run.plan), run.plan, command, &use);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (followed && status == 0) followed->check_use(command.front());
  followed.reset();
  if (run.json) print_run(run, command, status, elapsed.count(), use);
  end_as(status);
}

}  // namespace Atoll::cli
