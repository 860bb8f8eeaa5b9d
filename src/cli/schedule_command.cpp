#include "cli/schedule_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "atoll/affinity/schedule_recorded.hpp"
#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/units.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "atoll/program/options.hpp"
#include "cli/profile_text.hpp"
#include "cli/watch_options.hpp"
#include "process/child.hpp"

namespace Atoll::cli {
namespace {

using affinity::LocationSize;
using affinity::RecordedLoop;
using affinity::ScheduledProgram;
using Json = nlohmann::ordered_json;

/// The options as given on the command line.
struct Options {
  WatchWords watch;
  std::string by = "word";
  double dense_ratio = 0.9;
  std::uint32_t max_sharers = 0;
  std::uint32_t lines_of_task = 0;
  std::string output, machine;
  int threads = 0;
  std::uint32_t seed = 0;
  bool json = false;
};

LocationSize location_size(const std::string& word) {
  if (word == "word") return LocationSize::word;
  return word == "line" ? LocationSize::line : LocationSize::page;
}

/// The object's name, or where it was allocated.
std::string name_of(const trace::Recording& recording, std::uint32_t number) {
  const trace::Object& object = recording.objects[number];
  if (object.site == trace::kNone || recording.sites[object.site].frames.empty())
    return object.name;
  const trace::Frame& frame = recording.sites[object.site].frames.front();
  return frame.file.empty() ? frame.function : fmt::format("{}:{}", frame.file, frame.line);
}

Json json_of(const RecordedLoop& loop, const ScheduleReport& report,
             const trace::Recording& recording) {
  Json levels = Json::array(), written = Json::array();
  for (std::size_t level = 0; level < report.after.size(); ++level)
    levels.push_back({{"between", to_string(report.after[level].kind)},
                      {"before", report.before[level].weight},
                      {"after", report.after[level].weight}});
  for (const affinity::WrittenByTasks& object : loop.written)
    written.push_back({{"object", name_of(recording, object.object)}, {"words", object.words}});
  return {{"loop", loop.name},
          {"iterations", loop.iterations},
          {"chunk", loop.chunk},
          {"tasks", loop.uses.tasks()},
          {"lines", loop.lines},
          {"lines_lost", loop.lost_lines},
          {"lines_of_stacks", loop.stack_lines},
          {"locations", loop.uses.location_count},
          {"shared_locations", report.share.shared_locations},
          {"dropped_dense", report.share.dense.locations},
          {"dropped_many_sharers", report.share.many_sharers.locations},
          {"weight", report.weight},
          {"levels", levels},
          {"imbalance_before", report.imbalance_before},
          {"imbalance_after", report.imbalance_after},
          {"written_by_several", written}};
}

void print(const RecordedLoop& loop, const ScheduleReport& report,
           const trace::Recording& recording) {
  const double all = report.weight == 0 ? 1 : static_cast<double>(report.weight);
  fmt::print("\nloop {}: {}, {} shared by several\n", loop.name, counted(loop.uses.tasks(), "task"),
             counted(report.share.shared_locations, "location"));
  fmt::print("  {:<32}{:>20}{:>20}\n", "weight between", "before", "after");
  for (std::size_t level = 0; level < report.after.size(); ++level)
    fmt::print("  {:<32}{:>13} {:>4.0f} %{:>13} {:>4.0f} %\n",
               fmt::format("{} places", to_string(report.after[level].kind)),
               format_count(report.before[level].weight),
               100 * static_cast<double>(report.before[level].weight) / all,
               format_count(report.after[level].weight),
               100 * static_cast<double>(report.after[level].weight) / all);
  const std::uint64_t dropped = report.share.dense.locations + report.share.many_sharers.locations;
  if (dropped != 0)
    fmt::print("  {} shared by too many tasks were left out\n", counted(dropped, "location"));
  if (loop.lost_lines != 0)
    fmt::print("  {} of {} lines of tasks were lost: give more with --memory\n",
               format_count(loop.lost_lines), format_count(loop.lines));
  for (const affinity::WrittenByTasks& object : loop.written)
    fmt::print("  {} of {} written by several tasks: are they atomic?\n",
               counted(object.words, "word"), name_of(recording, object.object));
}

/// While one lives, what is written to standard output goes to standard error: there, `--json`
/// prints an object and nothing else.
class OutputAside {
 public:
  explicit OutputAside(bool wanted) {
    if (!wanted) return;
    std::fflush(stdout);
    output_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    if (output_ >= 0) ::dup2(STDERR_FILENO, STDOUT_FILENO);
  }
  ~OutputAside() {
    if (output_ < 0) return;
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
  }
  OutputAside(const OutputAside&) = delete;
  OutputAside& operator=(const OutputAside&) = delete;

 private:
  int output_ = -1;
};

int watched(const trace::WatchOptions& watch, bool aside, affinity::RecordTasks& tasks) {
  const OutputAside output(aside);
  return trace::watch(watch, tasks);
}

/// Runs the command and writes the schedule. Ends with the command's exit code if that isn't 0.
void record(const Options& call) {
  trace::WatchOptions watch = watch_options(call.watch);
  watch.tasks = true;
  const AtomicFile writable(call.output);  // or the work would be lost
  const Machine machine = Machine::open(call.machine);
  affinity::RecordTasks tasks({.by = location_size(call.by),
                               .memory_bytes = watch.memory_bytes,
                               .lines_of_task = call.lines_of_task});
  const int status = watched(watch, call.json, tasks);
  tell_signal(call.watch, status);
  const std::vector<RecordedLoop> loops = tasks.take();
  if (loops.empty())
    throw Error::input(call.watch.command.front(), "marked no task",
                       "mark its tasks (atoll/trace/marks.h, docs/tasks.md)");
  const ScheduledProgram program = schedule_recorded(
      loops, machine, spread_places(machine, call.threads),
      {.share = {.dense_ratio = call.dense_ratio, .max_sharers = call.max_sharers},
       .partition = {.seed = call.seed}});
  write_schedule(program.schedule, call.output);

  Json all = Json::array();
  if (!call.json)
    fmt::print("{}: {}, {}\n", call.output, counted(program.schedule.loops.size(), "loop"),
               counted(program.schedule.places.size(), "thread"));
  std::size_t scheduled = 0;
  for (const RecordedLoop& loop : loops) {
    if (loop.uses.tasks() == 0) continue;
    const ScheduleReport& report = program.reports[scheduled++];
    if (call.json)
      all.push_back(json_of(loop, report, tasks.recording()));
    else
      print(loop, report, tasks.recording());
  }
  if (call.json)
    fmt::print(
        "{}\n",
        Json{{"schedule", call.output}, {"threads", program.schedule.places.size()}, {"loops", all}}
            .dump(2, ' ', false, Json::error_handler_t::replace));
  if (const int code = process::exit_code_of_status(status); code != 0) std::exit(code);
}

}  // namespace

void add_schedule_command(CLI::App& app, const std::vector<std::string>& command) {
  const auto options = std::make_shared<Options>();
  options->watch.command = command;
  CLI::App* const verb =
      app.add_subcommand("schedule", "Schedule a command's tasks by what they share");
  verb->add_option("-o,--output", options->output, "The schedule to write")
      ->required()
      ->type_name("FILE");
  add_recording_options(*verb, options->watch, "auto|compiled|gcc|dbi");
  verb->add_option("--by", options->by, "What counts as a location: word, line or page")
      ->check(CLI::IsMember({"word", "line", "page"}).description(""))
      ->capture_default_str()
      ->type_name("SIZE");
  verb->add_option("--dense-ratio", options->dense_ratio,
                   "Leave out locations that a larger share of all tasks use")
      ->capture_default_str()
      ->type_name("R");
  verb->add_option("--max-sharers", options->max_sharers,
                   "Leave out those that more tasks use; 0: none")
      ->type_name("N");
  verb->add_option("--lines-of-task", options->lines_of_task,
                   "Keep so many lines of a task; 0: all")
      ->type_name("N");
  program::add_machine_option(*verb, options->machine, "Schedule for this machine");
  verb->add_option("--threads", options->threads, "Threads; 0: one for each core")
      ->check(CLI::Range(0, 1 << 20).description(""))
      ->type_name("N");
  verb->add_option("--seed", options->seed, "Another seed may find another division")
      ->type_name("S");
  verb->add_flag("--json", options->json,
                 "Print JSON; the command's output goes to standard error");
  verb->footer("The command marks its tasks (docs/tasks.md). It runs watched: docs/affinity.md");
  verb->callback([options] { record(*options); });
}

}  // namespace Atoll::cli
