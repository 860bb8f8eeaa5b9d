#include "cli/recorded_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "apply/try_schedule.hpp"
#include "atoll/affinity/schedule_recorded.hpp"
#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/log.hpp"
#include "atoll/base/separate_files.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/metis.hpp"
#include "atoll/options/checks.hpp"
#include "atoll/plan/affinity_graph_text.hpp"
#include "atoll/plan/partition_graph.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "atoll/program/options.hpp"
#include "base/activity.hpp"
#include "cli/prediction_text.hpp"
#include "cli/profile_text.hpp"
#include "machine/file_of_name.hpp"
#include "process/linkage.hpp"
#include "process/search_path.hpp"

namespace Atoll::cli {
namespace {

using affinity::LocationSize;
using affinity::RecordedLoop;
using affinity::ScheduledProgram;

LocationSize location_size(const std::string& word) {
  if (word == "word") return LocationSize::word;
  return word == "line" ? LocationSize::line : LocationSize::page;
}

/// Returns the object's allocation site if known, else its name.
std::string name_of(const recording::Recording& recording, std::uint32_t number) {
  const recording::Object& object = recording.objects[number];
  if (object.site == recording::kNone || recording.sites[object.site].frames.empty())
    return object.name;
  const recording::Frame& frame = recording.sites[object.site].frames.front();
  return frame.file.empty() ? frame.function : fmt::format("{}:{}", frame.file, frame.line);
}

Json json_of(const std::vector<affinity::ObjectWords>& objects,
             const recording::Recording& recording) {
  Json all = Json::array();
  for (const affinity::ObjectWords& object : objects)
    all.push_back({{"object", name_of(recording, object.object)}, {"words", object.words}});
  return all;
}

Json json_of(const RecordedLoop& loop, const ScheduledLoop& scheduled, const ScheduleReport& report,
             const recording::Recording& recording) {
  Json levels = Json::array();
  for (std::size_t level = 0; level < report.after.size(); ++level)
    levels.push_back({{"between", to_string(report.after[level].kind)},
                      {"before", report.before[level].weight},
                      {"after", report.after[level].weight}});
  return {{"loop", loop.name},
          {"iterations", loop.iterations},
          {"chunk", loop.chunk},
          {"tasks", loop.uses.tasks()},
          {"lines", loop.lines},
          {"lines_lost", loop.lost_lines},
          {"lines_of_threads", loop.own_lines},
          {"locations", loop.uses.location_count},
          {"shared_locations", report.share.shared_locations},
          {"dropped_dense", report.share.dense.locations},
          {"dropped_many_sharers", report.share.many_sharers.locations},
          {"weight", report.weight},
          {"levels", levels},
          {"imbalance_before", report.imbalance_before},
          {"imbalance_after", report.imbalance_after},
          {"predicted", json_of_predictions(scheduled)},
          {"written_by_several", json_of(loop.written, recording)},
          {"packable", json_of(loop.own, recording)}};
}

/// Prints the arrays to pack, if packing is predicted to be faster and the order alone isn't.
void print_packing(const RecordedLoop& loop, const ScheduledLoop& scheduled,
                   const recording::Recording& recording) {
  const auto pays = [](const auto& predicted) { return predicted && predicted->pays(); };
  const auto& packed = scheduled.predicted_packed;
  if (pays(scheduled.predicted) || !pays(packed) || packed->is_measured || loop.own.empty()) return;
  fmt::print(
      "  Packing would gain {:.0f} %: copy in the tasks' order what one task uses\n"
      "  (atoll_pack), and ask by atoll_my_packed_tasks (docs/tasks.md):\n",
      100 * (1 - packed->ratio()));
  const std::uint64_t least = loop.own.front().words / 100;  // omits small objects
  for (const affinity::ObjectWords& object : loop.own)
    if (object.words > least)
      fmt::print("    {:<52}{:>20}\n", name_of(recording, object.object),
                 counted(object.words, "word"));
}

void print(const RecordedLoop& loop, const ScheduledLoop& scheduled, const ScheduleReport& report,
           const recording::Recording& recording) {
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
  print_predictions(scheduled);
  print_packing(loop, scheduled, recording);
  const std::uint64_t dropped = report.share.dense.locations + report.share.many_sharers.locations;
  if (dropped != 0)
    fmt::print("  {} shared by too many tasks were left out\n", counted(dropped, "location"));
  if (loop.lost_lines != 0)
    fmt::print("  {} of {} lines of tasks were lost: give more with --memory\n",
               format_count(loop.lost_lines), format_count(loop.lines));
  for (const affinity::ObjectWords& object : loop.written)
    fmt::print("  several tasks write to {} of {}\n", counted(object.words, "word"),
               name_of(recording, object.object));
  if (!loop.written.empty())
    fmt::print("  What several write to has to be atomic, or marked as a reduction.\n");
}

void print_times(const affinity::RecordTasks& tasks) {
  const affinity::TaskTimes times = tasks.task_times();
  fmt::print("recorded in {}: {} to the first task, {} to the last one\n",
             format_seconds(tasks.recording().elapsed_seconds), format_seconds(times.first),
             format_seconds(times.last - times.first));
}

Json json_of_times(const affinity::RecordTasks& tasks) {
  const affinity::TaskTimes times = tasks.task_times();
  return {{"seconds", tasks.recording().elapsed_seconds},
          {"to_first_task", times.first},
          {"to_last_task", times.last - times.first}};
}

/// Returns the error for a program without recorded tasks, with the likely reason.
Error without_tasks(const std::string& source, const recording::Recording& recording) {
  const auto lost = [&](recording::LossKind kind) {
    return std::ranges::any_of(recording.losses, [=](const recording::Loss& loss) {
      return loss.kind == kind && loss.count > 0;
    });
  };
  if (lost(recording::LossKind::accesses_dropped) || lost(recording::LossKind::events_dropped))
    return Error::input(source, "was recorded with too little memory: all of its tasks were lost",
                        "give more with --memory");
  if (lost(recording::LossKind::accesses_outside))
    return Error::input(source, "marked no task in the part of its run that was asked for",
                        "--iterations needs atoll_mark_iteration() in the program, and "
                        "--between-marks atoll_mark_begin()");
  if (process::is_static_program(process::find_in_path(source)))
    return Error::input(source, "is a static program, so its marks reach no recorder",
                        "link it dynamically");
  return Error::input(source, "marked no task",
                      "mark its tasks (atoll/marks/marks.h, docs/tasks.md)");
}

/// Returns the number of threads for the schedule: the requested number, or the program's.
int threads_of(const std::vector<RecordedLoop>& loops, const Machine& machine,
               const RecordedOptions& call) {
  if (call.threads != 0) return call.threads;
  const auto threads =
      static_cast<int>(std::ranges::max(loops, {}, &RecordedLoop::threads).threads);
  const std::size_t cores = spread_places(machine).size();
  if (static_cast<std::size_t>(threads) != cores)
    note(fmt::format(
        "the schedule is for {}, as the program has; {} has {} (--threads N for others)",
        counted(static_cast<std::uint64_t>(threads), "thread"), machine.name(),
        counted(cores, "core")));
  return threads;
}

/// Adds the seconds for recording and scheduling to the loops' preparation times, in proportion to
/// the recorded lines of their tasks.
void add_preparation(Schedule& schedule, const std::vector<RecordedLoop>& loops, double seconds) {
  double lines = 0;
  for (const RecordedLoop& loop : loops) lines += static_cast<double>(loop.lines);
  for (ScheduledLoop& scheduled : schedule.loops) {
    const auto recorded = std::ranges::find(loops, scheduled.name, &RecordedLoop::name);
    const double share = lines > 0 ? static_cast<double>(recorded->lines) / lines : 0;
    for (auto* const predicted : {&scheduled.predicted, &scheduled.predicted_packed})
      if (*predicted) (*predicted)->prepare_seconds += seconds * share;
  }
}

constexpr double kTellingSeconds = 1e-4;

/// Replaces the predicted ratio by the trial's. Times refer to one run of the loop. A phase's time,
/// which may include many runs, is used only if the loop's predicted time is too short.
void replace(std::optional<SchedulePrediction>& predicted, const apply::TriedTimes& tried) {
  SchedulePrediction prediction = predicted.value_or(SchedulePrediction{});
  if (tried.is_of_loop || prediction.plain_seconds < kTellingSeconds)
    prediction.plain_seconds = tried.plain;
  prediction.followed_seconds =
      tried.plain > 0 ? prediction.plain_seconds * tried.followed / tried.plain : 0;
  prediction.is_measured = true;
  predicted = prediction;
}

/// Tries the schedule that was written, and writes it again with the results.
void try_loops(Schedule& schedule, const std::vector<RecordedLoop>& loops,
               const RecordedOptions& call, const std::vector<std::string>& command) {
  if (call.trials == 0 || !call.machine.empty()) return;
  const auto start = std::chrono::steady_clock::now();
  apply::Tried tried;
  try {
    tried = apply::try_schedule(command, call.output, call.trials);
  } catch (const Error& error) {
    note(fmt::format("{}; its times are predicted", error.what()));
    return;
  }
  for (ScheduledLoop& loop : schedule.loops) {
    if (const auto found = tried.stays.find(loop.name); found != tried.stays.end())
      replace(loop.predicted, found->second);
    if (const auto found = tried.packed.find(loop.name); found != tried.packed.end())
      replace(loop.predicted_packed, found->second);
  }
  const std::chrono::duration<double> trials = std::chrono::steady_clock::now() - start;
  add_preparation(schedule, loops, trials.count());
  write_schedule(schedule, call.output);
}

/// Returns the loop whose graph is written: the only one, or the one that --loop names.
const RecordedLoop& chosen(const std::vector<RecordedLoop>& loops, const RecordedOptions& call) {
  if (call.loop.empty() && loops.size() == 1) return loops.front();
  std::string names;
  for (const RecordedLoop& loop : loops) {
    if (loop.name == call.loop) return loop;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", loop.name);
  }
  if (call.loop.empty())
    throw Error::input("--loop", fmt::format("is missing: the program has several, {}", names),
                       "choose whose graph is written");
  throw Error::input("--loop", fmt::format("names no loop of the program: '{}'", call.loop),
                     fmt::format("it has {}", names));
}

void write_graph(const std::vector<RecordedLoop>& loops, const RecordedOptions& call) {
  if (call.dot.empty() && call.metis.empty()) return;
  const AffinityGraph graph = affinity::share_recorded(
      chosen(loops, call), {.dense_ratio = call.dense_ratio, .max_sharers = call.max_sharers});
  if (!call.dot.empty()) write_dot(graph, call.dot);
  if (!call.metis.empty()) graph::write_metis_graph(graph, call.metis);
}

}  // namespace

std::string partitioning_text(std::uint64_t tasks, std::uint64_t threads) {
  return fmt::format("dividing {} among {}{}", counted(tasks, "task"), counted(threads, "thread"),
                     has_metis() ? " (METIS, greedy)" : "");
}

affinity::RecordOptions record_options(const RecordedOptions& options, std::uint64_t memory_bytes) {
  return {.by = location_size(options.by),
          .memory_bytes = memory_bytes,
          .lines_of_task = options.lines_of_task,
          .write_weight = options.write_weight};
}

void check_outputs(const RecordedOptions& options, std::vector<std::string> inputs) {
  if (options.output.empty() && options.dot.empty() && options.metis.empty())
    throw Error::input("-o", "is missing", "name a file for the schedule");
  const std::vector<std::string> outputs{options.output, options.dot, options.metis};
  inputs.push_back(machine_file_of_name(options.machine));
  check_separate_files(outputs, inputs);
  for (const std::string& path : outputs)
    if (!path.empty()) const AtomicFile writable(path);
}

void schedule_tasks_of(affinity::RecordTasks& tasks, const std::string& source,
                       const RecordedOptions& call, const std::vector<std::string>& command) {
  const std::vector<RecordedLoop> loops = tasks.take();
  if (loops.empty()) throw without_tasks(source, tasks.recording());
  const Machine machine = Machine::open(call.machine);
  const auto start = std::chrono::steady_clock::now();
  const ThreadPlaces threads = spread_places(machine, threads_of(loops, machine, call));
  ScheduledProgram program;
  {
    std::uint64_t tasks_of_all = 0;
    for (const RecordedLoop& loop : loops) tasks_of_all += loop.uses.tasks();
    const Activity activity(partitioning_text(tasks_of_all, threads.size()));
    program = schedule_recorded(
        loops, machine, threads,
        {.share = {.dense_ratio = call.dense_ratio, .max_sharers = call.max_sharers},
         .partition = {.seed = call.seed}});
  }
  const std::chrono::duration<double> scheduling = std::chrono::steady_clock::now() - start;
  add_preparation(program.schedule, loops, tasks.recording().elapsed_seconds + scheduling.count());
  AtomicFiles together;
  if (!call.output.empty()) write_schedule(program.schedule, call.output);
  write_graph(loops, call);
  together.commit();
  if (!call.output.empty() && !command.empty()) try_loops(program.schedule, loops, call, command);

  Json all = Json::array();
  if (!call.json)
    fmt::print("{}{}, {}\n", call.output.empty() ? "" : call.output + ": ",
               counted(program.schedule.loops.size(), "loop"),
               counted(program.schedule.places.size(), "thread"));
  if (!call.json && !command.empty()) print_times(tasks);
  std::size_t scheduled = 0;
  for (const RecordedLoop& loop : loops) {
    if (loop.uses.tasks() == 0) continue;
    const ScheduledLoop& lists = program.schedule.loops[scheduled];
    const ScheduleReport& report = program.reports[scheduled++];
    if (call.json)
      all.push_back(json_of(loop, lists, report, tasks.recording()));
    else
      print(loop, lists, report, tasks.recording());
  }
  if (call.json)
    fmt::print("{}\n", Json{{"schedule", call.output},
                            {"threads", program.schedule.places.size()},
                            {"recorded", command.empty() ? Json() : json_of_times(tasks)},
                            {"loops", all}}
                           .dump(2));
}

void add_sharing_options(options::Command verb, RecordedOptions& options) {
  verb.add_option("--location,--by", options.by, "What counts as a location: word, line or page")
      .check(value::one_of({"word", "line", "page"}, false))
      .show_default()
      .type_name("SIZE");
  verb.add_option("--dense-ratio", options.dense_ratio,
                  "Leave out locations that a larger share of all tasks use")
      .check(value::real(0, 1))
      .show_default()
      .type_name("R");
  verb.add_option("--max-sharers", options.max_sharers,
                  "Leave out those that more tasks use; 0: none")
      .check(value::count(0, UINT32_MAX))
      .type_name("N");
  verb.add_option("--lines-of-task", options.lines_of_task, "Keep so many lines of a task; 0: all")
      .check(value::count(0, UINT32_MAX))
      .type_name("N");
  verb.add_option("--write-weight", options.write_weight, "Count what a task writes to W times")
      .check(value::count(1, 1 << 16))
      .show_default()
      .type_name("W");
}

void add_schedule_options(options::Command verb, RecordedOptions& options) {
  verb.add_option("-o,--output", options.output, "The schedule to write").type_name("FILE");
  verb.add_option("--dot", options.dot, "Write a loop's graph for Graphviz, too").type_name("FILE");
  verb.add_option("--metis,--graph", options.metis, "Write a loop's graph for METIS, too")
      .type_name("FILE");
  verb.add_option("--loop", options.loop,
                  "The loop's name; whose graph it is, if there are several")
      .type_name("NAME");
  program::add_machine_option(verb, options.machine, "Schedule for this machine");
  verb.add_option(
          "--threads", options.threads,
          "Threads; 0: as many as the program has, or one for\neach core if that is not known")
      .check(value::count(0, 1 << 20))
      .type_name("N");
  verb.add_option("--seed", options.seed, "Another seed may find another division")
      .check(value::count(0, UINT32_MAX))
      .type_name("S");
}

}  // namespace Atoll::cli
