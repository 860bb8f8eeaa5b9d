#include "cli/schedule_command.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <memory>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/options/checks.hpp"
#include "atoll/profile/profile.hpp"
#include "cli/command_files.hpp"
#include "cli/recorded_schedule.hpp"
#include "cli/scheduled_threads.hpp"
#include "cli/stdout_to_stderr.hpp"
#include "cli/watch_options.hpp"
#include "process/child.hpp"
#include "profile/places.hpp"

namespace Atoll::cli {
namespace {

/// The options as given on the command line.
struct Options {
  WatchWords watch;
  RecordedOptions recorded;
};

int watched(const Options& call, const recording::WatchOptions& watch,
            recording::Consumer& consumer) {
  const StdoutToStderr output(call.recorded.json);
  const int status = recording::watch(watch, consumer);
  print_signal(call.watch, status);
  return status;
}

/// Schedules the recording. Ignores an error if a signal ended the command: that was already
/// reported, and explains an incomplete recording.
template <class Work>
void schedule_recorded(int status, Work&& work) {
  try {
    work();
  } catch (const Error&) {
    if (!WIFSIGNALED(status)) throw;
  }
}

int record_tasks(const Options& call, recording::WatchOptions watch) {
  watch.tasks = true;
  (void)Machine::open(call.recorded.machine);
  affinity::RecordTasks tasks(record_options(call.recorded, watch.memory_bytes));
  const int status = watched(call, watch, tasks);
  const bool has_ended_well = process::exit_code_of_status(status) == 0;
  schedule_recorded(status, [&] {
    schedule_tasks_of(tasks, call.watch.command.front(), call.recorded,
                      has_ended_well ? call.watch.command : std::vector<std::string>{});
  });
  return status;
}

/// Does the work of `atoll profile` and `atoll schedule PROFILE`, without a profile's file.
int record_threads(const Options& call, const recording::WatchOptions& watch) {
  const Machine machine = profile::machine_to_analyse(call.recorded.machine);
  profile::ProfileBuilder builder;
  const int status = watched(call, watch, builder);
  profile::Profile profile = builder.take();
  profile.machine = Machine::this_computer().to_json();
  schedule_recorded(status, [&] { schedule_threads_of(profile, machine, call.recorded); });
  return status;
}

/// Runs the command, and writes the schedule or the plan. Exits with the command's exit code if
/// that isn't 0.
void record(const Options& call, const options::Command verb) {
  const recording::WatchOptions watch = watch_options(call.watch);
  if (call.recorded.kernel_threads) refuse_options_of_tasks(verb);
  check_outputs(call.recorded, command_files(call.watch.command));
  const int status =
      call.recorded.kernel_threads ? record_threads(call, watch) : record_tasks(call, watch);
  if (const int code = process::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_schedule_command(options::Command app, const std::vector<std::string>& command) {
  const auto options = std::make_shared<Options>();
  options->watch.command = command;
  options->recorded.trials = 3;
  const options::Command verb =
      app.add_verb("schedule", "Schedule a command's tasks by what they share");
  add_recording_options(verb, options->watch, Frontends::recording_every_access);
  verb.option("--memory")
      .description(
          "Memory for recording, e.g. 2GiB (a quarter of this computer's); what\n"
          "tasks use beyond it is lost, and counted");
  verb.add_option("--page-share,--pages", options->watch.pages_percent,
                  "Record this share of all pages, in percent")
      .check(value::positive(100))
      .type_name("PERCENT");
  add_sharing_options(verb, options->recorded);
  add_schedule_options(verb, options->recorded);
  add_kernel_threads(verb, options->recorded);
  verb.add_option("--trials", options->recorded.trials,
                  "Then run it so many times without and by the schedule, unwatched,\n"
                  "and follow where that is faster; 0 goes by the prediction")
      .show_default()
      .check(value::count(0, 1000))
      .type_name("N");
  verb.add_flag("--json", options->recorded.json,
                "Print JSON; the command's output goes to standard error");
  verb.footer(
      "The command marks its tasks (docs/tasks.md). It runs watched: docs/affinity.md.\n"
      "With --kernel-threads it needs no marks, and --output is a plan for atoll run\n"
      "--plan.");
  verb.run([options, verb] { record(*options, verb); });
}

}  // namespace Atoll::cli
