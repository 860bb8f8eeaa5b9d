// main() of a compiled graph program: options, graph, layouts, placement, the run, the report.
#include <sys/resource.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/exit_code.hpp"
#include "atoll/marks/marks.h"
#include "atoll/options/asks_for_json.hpp"
#include "atoll/options/checks.hpp"
#include "program/call.hpp"
#include "program/id_types.hpp"
#include "program/input_files.hpp"
#include "program/output_files.hpp"
#include "program/placed_run.hpp"
#include "program/report.hpp"
#include "program/stop.hpp"
#include "program/words.hpp"

namespace Atoll::program {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::uint64_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

/// Fills the inputs from files, or from the values that the graph's edges have.
template <class Node, class Edge>
void fill_inputs(PlacedRun<Node, Edge>& run, const Procedure& procedure, const Call& call,
                 std::vector<graph::Graph>& graphs) {
  for (const ArrayUse& use : procedure.arrays) {
    if (!use.input) continue;
    graph::Graph& graph = graphs[use.graph];
    const auto load = std::ranges::find(call.loads, use.name, &NamedFile::name);
    if (load != call.loads.end())
      load_elements(load->path, run.elements(use));
    else if (has_values(graph, use)) {
      copy_values(graph, call.graphs[use.graph], run.elements(use));
      graph.drop_values(use.name);
    } else
      continue;
    run.sync(use);
  }
  for (const CollectionUse& use : procedure.collections)
    if (const auto load = std::ranges::find(call.loads, use.name, &NamedFile::name);
        use.input && load != call.loads.end()) {
      if (use.place == CollectionPlace::alone)
        load_items(load->path, run.items(use));
      else
        load_many(load->path, run.many(use));
    }
}

/// Files of results. They are opened before the run, so that a bad path fails early.
class OutputFiles {
 public:
  explicit OutputFiles(const Call& call) {
    for (const NamedFile& save : call.saves) open(save.path);
    for (const TableFile& table : call.tables) open(table.path);
  }
  [[nodiscard]] AtomicFile& at(const std::string& path) { return *files_.at(path); }

 private:
  void open(const std::string& path) { files_.emplace(path, std::make_unique<AtomicFile>(path)); }

  std::map<std::string, std::unique_ptr<AtomicFile>> files_;
};

/// Adds the results to the report, and writes the requested ones to files.
template <class Node, class Edge>
void give_results(RunReport& report, PlacedRun<Node, Edge>& run, const Call& call,
                  const RunOptions& options, OutputFiles& files, const std::vector<Names>& names) {
  const Procedure& procedure = *report.procedure;
  AtomicFiles together;
  if (const std::optional<Scalar> value = run.returned())
    report.returned = value_of(
        procedure.returns.value_or(std::holds_alternative<double>(*value) ? ValueType::float64
                                                                          : ValueType::int64),
        *value, names[procedure.returned_graph]);
  for (const Argument& argument : procedure.arguments)
    if (argument.output)
      report.outputs.emplace_back(
          argument.name,
          value_of(
              argument.type,
              run.output(argument.name).value_or(nothing(argument.type, names[argument.graph])),
              names[argument.graph]));
  RowChoice choice{.count = static_cast<std::uint64_t>(options.top),
                   .ascending = options.ascending,
                   .by = options.by};
  for (std::uint32_t graph = 0; graph < names.size(); ++graph)
    for (const bool edges : {false, true}) {
      std::vector<Elements> results;
      for (const ArrayUse& use : procedure.arrays)
        if (use.result && use.edges == edges && use.graph == graph)
          results.push_back(run.elements(use));
      if (results.empty()) continue;
      report.tables.push_back(table_of(results, choice));
      for (const Elements& result : results) report.results.push_back(report_of(result, choice));
      for (const TableFile& table : call.tables)
        if (table.graph == graph && table.edges == edges) save_table(files.at(table.path), results);
    }
  for (const CollectionUse& use : procedure.collections)
    if (use.result)
      report.collections.push_back(use.place == CollectionPlace::alone
                                       ? report_of(run.items(use), choice.count)
                                       : report_of(run.many(use), choice.count));
  for (const NamedFile& save : call.saves) {
    const auto use = std::ranges::find_if(procedure.arrays, [&](const ArrayUse& array) {
      return array.result && array.name == save.name;
    });
    if (use != procedure.arrays.end())
      save_elements(files.at(save.path), save.path, run.elements(*use));
    for (const CollectionUse& collection : procedure.collections) {
      if (use != procedure.arrays.end() || !collection.result || collection.name != save.name)
        continue;
      if (collection.place == CollectionPlace::alone)
        save_items(files.at(save.path), save.path, run.items(collection));
      else
        save_many(files.at(save.path), run.many(collection));
    }
  }
  together.commit();
}

template <class Node, class Edge>
void place_and_run(RunReport& report, const Call& call, const RunOptions& options,
                   const memory::Context& context, std::vector<graph::Graph>& graphs,
                   const Functions<Node, Edge>& functions) {
  const Procedure& procedure = *report.procedure;
  std::vector<DecidedArray> arrays;
  arrays.reserve(report.arrays.size());
  for (const ArrayReport& array : report.arrays) arrays.push_back(array.decided);
  std::vector<Names> names;
  names.reserve(graphs.size());
  for (const graph::Graph& graph : graphs) names.emplace_back(graph, widths_of(report.sizes));
  std::vector<std::pair<std::string, Scalar>> arguments = values_of(call, names);
  OutputFiles files(call);

  auto start = Clock::now();
  PlacedRun<Node, Edge> run(context, procedure, functions, arrays, report.sizes, names,
                            options.seed);
  run.set_arguments(std::move(arguments));
  report.place_seconds = seconds_since(start);
  start = Clock::now();
  fill_inputs(run, procedure, call, graphs);
  for (Names& one : names) one.forget_index();
  report.load_seconds += seconds_since(start);
  start = Clock::now();
  for (std::uint32_t i = 0; i < graphs.size(); ++i)
    run.place_graph(context, arrays, i, graphs[i], names[i]);
  report.place_seconds += seconds_since(start);

  start = Clock::now();
  if (atoll_record_begin != nullptr) atoll_record_begin();
  functions.run(run);
  if (atoll_record_end != nullptr) atoll_record_end();
  report.run_seconds = seconds_since(start);

  report.trip_counts = run.trip_counts();
  for (ArrayReport& array : report.arrays) array.copies = run.raw(*array.decided.use).where();
  give_results(report, run, call, options, files, names);
  report.peak_rss_bytes = peak_rss_bytes();
}

void run(const Procedure& procedure, const Entry& entry, const RunOptions& options) {
  if (options.dry_run) return dry_run(procedure, options);
  refuse_machine(options);
  end_on_interrupt_or_after(options.time_limit_seconds);
  const Call call = read_call(procedure, options);
  const Team team(call.places);
  const auto load_start = Clock::now();
  std::vector<graph::Graph> graphs;
  std::vector<graph::GraphSize> sizes;
  sizes.reserve(call.graphs.size());
  for (const std::string& file : call.graphs)
    sizes.push_back(graphs.emplace_back(graph::load(file, team)).size());
  if (graphs.empty()) graphs.emplace_back();  // a procedure without graphs gets an empty one
  check_needed(procedure, call,
               [&](const ArrayUse& use) { return has_values(graphs[use.graph], use); });
  const double load_seconds = seconds_since(load_start);
  RunReport report = decided_report(procedure, call, options, sizes);
  report.load_seconds = load_seconds;
  const memory::Context context{call.machine, team,
                                options.memory == "system"
                                    ? memory::system_backend()
                                    : memory::backend_by_name(options.memory)};
  with_id_types(widths_of(sizes), [&]<class Node, class Edge>() {
    const auto& functions = functions_of<Node, Edge>(entry);
    if (functions.run == nullptr)
      throw Error::input(
          fmt::format("{}", fmt::join(call.graphs, ", ")),
          fmt::format("has ids of {} and {} bits, which this program wasn't compiled for",
                      8 * sizeof(Node), 8 * sizeof(Edge)),
          "start it with atoll run, or make it with atoll compile");
    place_and_run(report, call, options, context, graphs, functions);
  });
  print(report, options);
}

}  // namespace

int main(int argc, char** argv, const Procedure& procedure, const Entry& entry) {
  const options::CommandLine app(fmt::format("{}, compiled from {} by Atoll; {}.", procedure.name,
                                             procedure.source, signature(procedure)),
                                 procedure.name);
  RunOptions run_options;
  add_run_options(app, run_options);
  app.footer(inputs_and_results(procedure));
  if (procedure.graphs.empty()) app.option("--graph").required(false);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that is too large is an error like others
  const auto work = [&] {
    try {
      if (!app.parse(argc, argv)) return;
    } catch (const options::BadCall& error) {
      throw Error::input(procedure.name, error.what(), "see --help");
    }
    run(procedure, entry, run_options);
  };
  return exit_code_of(work, options::asks_for_json(argc, argv) ? ErrorForm::json : ErrorForm::line);
}

}  // namespace Atoll::program
