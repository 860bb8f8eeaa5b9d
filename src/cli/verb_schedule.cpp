// `atoll schedule`: assigns tasks to threads, from a graph of the data that tasks share.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "atoll/affinity/tasks_of_streams.hpp"
#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/json.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/metis.hpp"
#include "atoll/graph/task_graph.hpp"
#include "atoll/plan/affinity_graph_text.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "atoll/plan/schedule_tasks.hpp"
#include "atoll/recording/read_stream.hpp"
#include "base/activity.hpp"
#include "cli/prediction_text.hpp"
#include "cli/profile_text.hpp"
#include "cli/recorded_schedule.hpp"
#include "cli/schedule_lists.hpp"
#include "cli/scheduled_threads.hpp"
#include "cli/verb.hpp"
#include "profile/schedule_threads.hpp"

namespace Atoll::cli {
namespace {

struct ScheduleVerbOptions {
  std::string graph;  ///< or a trace or a profile
  std::string check, show;
  RecordedOptions how;
};

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

void print(const RecordedOptions& options, const std::string& loop, const Schedule& schedule,
           const AffinityGraph& graph, const ScheduleReport& report) {
  if (options.json) {
    Json levels = Json::array();
    for (std::size_t level = 0; level < report.after.size(); ++level)
      levels.push_back({{"between", to_string(report.after[level].kind)},
                        {"before", report.before[level].weight},
                        {"after", report.after[level].weight}});
    fmt::print("{}\n", Json{{"schedule", options.output},
                            {"loop", loop},
                            {"tasks", graph.vertices()},
                            {"edges", graph.edges()},
                            {"threads", schedule.places.size()},
                            {"weight", report.weight},
                            {"levels", levels},
                            {"imbalance_before", report.imbalance_before},
                            {"imbalance_after", report.imbalance_after}}
                           .dump(2));
    return;
  }
  fmt::print("{}: {} tasks, {} edges, {} threads\n\n", options.output,
             format_count(graph.vertices()), format_count(graph.edges()), schedule.places.size());
  fmt::print("  {:<30}{:>15}{:>8}{:>15}\n", "weight between", "before", "", "after");
  for (std::size_t level = 0; level < report.after.size(); ++level)
    fmt::print("  {:<30}{:>15}{:>7.1f}%{:>15}{:>7.1f}%\n",
               fmt::format("{} places", to_string(report.after[level].kind)),
               format_count(report.before[level].weight),
               100 * share(report.before[level].weight, report.weight),
               format_count(report.after[level].weight),
               100 * share(report.after[level].weight, report.weight));
  fmt::print("  {:<30}{:>14.1f}%{:>8}{:>14.1f}%\n", "largest part over equal ones",
             100 * report.imbalance_before, "", 100 * report.imbalance_after);
}

void check_file(const ScheduleVerbOptions& options) {
  const Schedule schedule = read_schedule(options.check);
  const Machine machine = Machine::open(options.how.machine);
  check_places(schedule, machine, options.check);
  if (options.how.json) {
    Json loops = Json::array();
    for (const ScheduledLoop& loop : schedule.loops)
      loops.push_back({{"name", loop.name},
                       {"iterations", loop.iterations},
                       {"chunk", loop.chunk},
                       {"tasks", loop.tasks.size()},
                       {"fingerprint", loop.fingerprint},
                       {"predicted", json_of_predictions(loop)}});
    fmt::print("{}\n", Json{{"schedule", options.check},
                            {"machine", machine.name()},
                            {"threads", schedule.places.size()},
                            {"loops", loops}}
                           .dump(2));
    return;
  }
  fmt::print("{}: whole; {} threads, all on {}\n", options.check, schedule.places.size(),
             machine.name());
  for (const ScheduledLoop& loop : schedule.loops) {
    fmt::print("\nloop {}: {}\n", loop.name, counted(loop.tasks.size(), "task"));
    print_predictions(loop);
  }
}

void schedule_graph_of(const std::string& path, const RecordedOptions& options) {
  const std::string loop = options.loop.empty() ? "tasks" : options.loop;
  const AffinityGraph graph = graph::read_task_graph(path);
  AtomicFiles together;
  if (!options.dot.empty()) write_dot(graph, options.dot);
  if (!options.metis.empty()) graph::write_metis_graph(graph, options.metis);
  if (options.output.empty()) {
    together.commit();
    if (options.json)
      fmt::print(
          "{}\n",
          Json{{"loop", loop}, {"tasks", graph.vertices()}, {"edges", graph.edges()}}.dump(2));
    return;
  }
  const Machine machine = Machine::open(options.machine);
  ScheduleReport report;
  const ScheduleOptions how{.loop = loop, .partition = {.seed = options.seed}};
  const ThreadPlaces threads = spread_places(machine, options.threads);
  Schedule schedule;
  {
    const Activity activity(partitioning_text(graph.vertices(), threads.size()));
    schedule = schedule_graph(graph, machine, threads, how, &report);
  }
  write_schedule(schedule, options.output);
  together.commit();
  print(options, loop, schedule, graph, report);
}

void schedule_trace(const std::string& path, const RecordedOptions& options) {
  affinity::RecordTasks tasks(record_options(options, 0));
  affinity::TasksOfStreams streams(tasks);
  recording::read_stream(path, streams);
  schedule_tasks_of(tasks, path, options);
}

void schedule_file(const options::Command verb, const options::Command for_traces,
                   const ScheduleVerbOptions& options) {
  check_outputs(options.how, {options.graph});
  if (profile::is_profile_file(options.graph)) {
    refuse_options_of_tasks(verb);
    const OpenProfile opened(options.graph, options.how.machine);
    return schedule_threads_of(opened.profile, opened.machine, options.how);
  }
  if (options.how.kernel_threads)
    throw Error::input(options.graph, "is no profile, which alone tells of a program's threads",
                       "make one with atoll profile, or give the command itself after --");
  if (recording::is_stream_file(options.graph)) return schedule_trace(options.graph, options.how);
  for (const options::Option option : for_traces.options())
    refuse(option, "is for traces: other files tell what is shared");
  schedule_graph_of(options.graph, options.how);
}

}  // namespace

void add_schedule(options::Command app) {
  const auto options = std::make_shared<ScheduleVerbOptions>();
  const options::Command verb =
      app.add_verb("schedule", "Divides tasks among threads by what they share");
  const options::Option graph = verb.add_option(
      "GRAPH", options->graph,
      "METIS graph (- is standard input) or *.atoll, its vertices are tasks; a trace; a profile");
  add_schedule_options(verb, options->how);
  verb.add_option("--check", options->check, "Schedule to check instead")
      .type_name("FILE")
      .excludes(graph)
      .excludes(verb.option("--output"));
  verb.add_option("--show", options->show,
                  "Schedule whose lists to print instead: each thread's\ntasks in its order; "
                  "--loop says of which loop")
      .type_name("FILE")
      .excludes(graph)
      .excludes(verb.option("--check"))
      .excludes(verb.option("--output"));
  verb.add_flag("--json", options->how.json, "Print JSON");
  const options::Command for_traces = verb.below("For traces");
  add_sharing_options(for_traces, options->how);
  add_kernel_threads(verb, options->how);
  verb.footer(
      "Tasks go to the places of M so that little weight lies between packages, then\n"
      "between memories, caches and cores; each thread's tasks are ordered. 'before'\n"
      "is equal parts in the tasks' order.\n\n"
      "  atoll schedule mesh.graph -o S          a stored graph's tasks\n"
      "  atoll schedule app.trace -o S           those of a stored trace\n"
      "  atoll schedule app.profile -o PLAN      a profile's threads, by a plan\n"
      "  atoll schedule --kernel-threads -o PLAN -- ./app    the same, watched\n"
      "  atoll schedule -o S -- ./app            a program's: it runs, watched\n"
      "  atoll run --schedule S -- ./app         its next run follows\n\n"
      "Options for programs: atoll schedule --help -- ./app; docs/affinity.md");
  verb.run([options, verb, for_traces] {
    if (!options->check.empty()) return check_file(*options);
    if (!options->show.empty())
      return print_lists(read_schedule(options->show), options->show, options->how.loop,
                         options->how.json);
    if (options->graph.empty())
      throw Error::input("GRAPH", "is missing", "name a graph, or --check a schedule");
    schedule_file(verb, for_traces, *options);
  });
}

}  // namespace Atoll::cli
