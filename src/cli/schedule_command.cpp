#include "cli/schedule_command.hpp"

#include <cstdlib>
#include <memory>

#include "atoll/machine/machine.hpp"
#include "cli/output_aside.hpp"
#include "cli/recorded_schedule.hpp"
#include "cli/watch_options.hpp"
#include "process/child.hpp"

namespace Atoll::cli {
namespace {

/// The options as given on the command line.
struct Options {
  WatchWords watch;
  RecordedOptions recorded;
};

int watched(const trace::WatchOptions& watch, bool aside, affinity::RecordTasks& tasks) {
  const OutputAside output(aside);
  return trace::watch(watch, tasks);
}

/// Runs the command and writes the schedule. Ends with the command's exit code if that isn't 0.
void record(const Options& call) {
  trace::WatchOptions watch = watch_options(call.watch);
  watch.tasks = true;
  check_outputs(call.recorded);
  (void)Machine::open(call.recorded.machine);
  affinity::RecordTasks tasks(record_options(call.recorded, watch.memory_bytes));
  const int status = watched(watch, call.recorded.json, tasks);
  tell_signal(call.watch, status);
  schedule_tasks_of(tasks, call.watch.command.front(), call.recorded);
  if (const int code = process::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_schedule_command(CLI::App& app, const std::vector<std::string>& command) {
  const auto options = std::make_shared<Options>();
  options->watch.command = command;
  CLI::App* const verb =
      app.add_subcommand("schedule", "Schedule a command's tasks by what they share");
  add_recording_options(*verb, options->watch, "auto|compiled|gcc|dbi");
  add_sharing_options(*verb, options->recorded);
  add_schedule_options(*verb, options->recorded);
  verb->add_flag("--json", options->recorded.json,
                 "Print JSON; the command's output goes to standard error");
  verb->footer("The command marks its tasks (docs/tasks.md). It runs watched: docs/affinity.md");
  verb->callback([options] { record(*options); });
}

}  // namespace Atoll::cli
