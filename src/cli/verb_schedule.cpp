// `atoll schedule`: which thread runs which tasks, from a graph of what they share.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "atoll/graph/metis.hpp"
#include "atoll/plan/affinity_graph_text.hpp"
#include "atoll/plan/schedule_file.hpp"
#include "atoll/plan/schedule_tasks.hpp"
#include "atoll/program/options.hpp"
#include "cli/verb.hpp"

namespace Atoll::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string graph;
  std::string output;
  std::string check;
  std::string machine;
  std::string loop = "tasks";
  std::string dot;
  std::string metis;
  int threads = 0;
  std::uint32_t seed = 0;
  bool json = false;
};

double share(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

void print(const Options& options, const Schedule& schedule, const AffinityGraph& graph,
           const ScheduleReport& report) {
  if (options.json) {
    Json levels = Json::array();
    for (std::size_t level = 0; level < report.after.size(); ++level)
      levels.push_back({{"between", to_string(report.after[level].kind)},
                        {"before", report.before[level].weight},
                        {"after", report.after[level].weight}});
    fmt::print("{}\n", Json{{"schedule", options.output},
                            {"loop", options.loop},
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

void check_file(const Options& options) {
  const Schedule schedule = read_schedule(options.check);
  const Machine machine = Machine::open(options.machine);
  check_places(schedule, machine, options.check);
  if (options.json) {
    Json loops = Json::array();
    for (const ScheduledLoop& loop : schedule.loops)
      loops.push_back({{"name", loop.name},
                       {"iterations", loop.iterations},
                       {"chunk", loop.chunk},
                       {"tasks", loop.tasks.size()},
                       {"fingerprint", loop.fingerprint}});
    fmt::print("{}\n", Json{{"schedule", options.check},
                            {"machine", machine.name()},
                            {"threads", schedule.places.size()},
                            {"loops", loops}}
                           .dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  fmt::print("{}: whole; {} threads, all on {}\n", options.check, schedule.places.size(),
             machine.name());
  for (const ScheduledLoop& loop : schedule.loops)
    fmt::print("  loop {}: {} tasks\n", loop.name, format_count(loop.tasks.size()));
}

void make(const Options& options) {
  if (options.output.empty() && options.dot.empty() && options.metis.empty())
    throw Error::input("-o", "is missing", "name a file for the schedule");
  for (const std::string& path : {options.output, options.dot, options.metis})
    if (!path.empty()) const AtomicFile writable(path);
  const AffinityGraph graph = graph::read_metis_graph(options.graph);
  if (!options.dot.empty()) write_dot(graph, options.dot);
  if (!options.metis.empty()) graph::write_metis_graph(graph, options.metis);
  if (options.output.empty()) return;
  const Machine machine = Machine::open(options.machine);
  ScheduleReport report;
  const ScheduleOptions how{.loop = options.loop, .partition = {.seed = options.seed}};
  const Schedule schedule =
      schedule_graph(graph, machine, spread_places(machine, options.threads), how, &report);
  write_schedule(schedule, options.output);
  print(options, schedule, graph, report);
}

}  // namespace

void add_schedule(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  CLI::App* const verb =
      app.add_subcommand("schedule", "Divides tasks among threads by what they share");
  CLI::Option* const graph = verb->add_option(
      "GRAPH", options->graph, "METIS or Chaco's text: a vertex is a task; - is standard input");
  CLI::Option* const output =
      verb->add_option("-o,--output", options->output, "Schedule to write")->type_name("FILE");
  verb->add_option("--check", options->check, "Schedule to check instead")
      ->type_name("FILE")
      ->excludes(graph)
      ->excludes(output);
  program::add_machine_option(*verb, options->machine, "Schedule for this machine");
  verb->add_option("--threads", options->threads, "Threads; 0: one for each core")
      ->check(CLI::Range(0, 1 << 20))
      ->type_name("N");
  verb->add_option("--seed", options->seed, "Another seed may find another division")
      ->type_name("S");
  verb->add_option("--loop", options->loop, "The loop's name in the schedule")
      ->type_name("NAME")
      ->capture_default_str();
  verb->add_option("--dot", options->dot, "Write the graph for Graphviz, too")->type_name("FILE");
  verb->add_option("--metis", options->metis, "Write the graph for METIS, too")->type_name("FILE");
  verb->add_flag("--json", options->json, "Print JSON");
  verb->footer(
      "Tasks go to the places of M so that little weight lies between packages, then\n"
      "between memories, caches and cores; each thread's tasks are ordered. 'before'\n"
      "is equal parts in the tasks' order.\n\n"
      "  atoll schedule mesh.graph -o S          a stored graph's tasks\n"
      "  atoll schedule -o S -- ./app            a program's: it runs, watched\n"
      "  atoll run --schedule S -- ./app         its next run follows\n\n"
      "Options for programs: atoll schedule --help -- ./app; docs/affinity.md");
  verb->callback([options] {
    if (!options->check.empty()) return check_file(*options);
    if (options->graph.empty())
      throw Error::input("GRAPH", "is missing", "name a graph, or --check a schedule");
    make(*options);
  });
}

}  // namespace Atoll::cli
