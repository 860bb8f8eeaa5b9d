// main() of a compiled graph program: options, graph, layouts, placement, the run, the report.
#include <sys/resource.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/exit_code.hpp"
#include "program/call.hpp"
#include "program/placed_run.hpp"
#include "program/report.hpp"

namespace Atoll::program {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Node, class Edge>
ResultReport summarise(const PlacedRun<Node, Edge>& run, const ArrayUse& use, std::uint64_t nodes,
                       int top, const graph::Graph& graph) {
  ResultReport result{.name = use.name, .top = {}, .sum = 0};
  std::vector<double> values(nodes);
  for (std::uint64_t node = 0; node < nodes; ++node) values[node] = run.value(use.name, node);
  result.sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<std::uint64_t> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  const auto count =
      static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(nodes, static_cast<std::uint64_t>(top)));
  const auto key = [&](std::uint64_t node) {
    return std::isnan(values[node]) ? -INFINITY : values[node];
  };
  std::partial_sort(
      order.begin(), order.begin() + count, order.end(),
      [&](std::uint64_t a, std::uint64_t b) { return key(a) != key(b) ? key(a) > key(b) : a < b; });
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const std::uint64_t node = order[static_cast<std::size_t>(i)];
    result.top.push_back({node, graph.label(node), values[node]});
  }
  return result;
}

template <class Node, class Edge>
void save_result(const PlacedRun<Node, Edge>& run, const std::string& property,
                 const std::string& path, const graph::Graph& graph) {
  AtomicFile file(path);
  std::string text;
  for (std::uint64_t node = 0; node < graph.nodes(); ++node) {
    text += fmt::format("{} {}\n", graph.label(node), run.value(property, node));
    if (text.size() > (1U << 20)) {
      file.write(text);
      text.clear();
    }
  }
  file.write(text);
  file.commit();
}

std::uint64_t peak_rss_bytes() {
  struct rusage usage {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

template <class Node, class Edge>
void place_and_run(RunReport& report, const memory::Context& context, graph::Graph& graph,
                   const std::vector<std::pair<std::string, Scalar>>& arguments,
                   void (*function)(Run<Node, Edge>&),
                   const std::vector<std::pair<std::string, std::string>>& saves,
                   const RunOptions& options) {
  std::vector<DecidedArray> arrays;
  arrays.reserve(report.arrays.size());
  for (const ArrayReport& array : report.arrays) arrays.push_back(array.decided);
  const auto place_start = Clock::now();
  PlacedRun<Node, Edge> run(context, arrays, graph, arguments, options.seed);
  report.place_seconds = seconds_since(place_start);

  const auto run_start = Clock::now();
  function(run);
  report.run_seconds = seconds_since(run_start);

  report.trip_counts = run.trip_counts();
  report.returned = run.returned();
  for (ArrayReport& array : report.arrays) {
    const ArrayUse& use = *array.decided.use;
    array.copies = run.raw(use).where();
    if (use.result && array.decided.elements == graph.nodes())
      report.results.push_back(summarise(run, use, graph.nodes(), options.top, graph));
  }
  for (const auto& [property, path] : saves) save_result(run, property, path, graph);
  report.peak_rss_bytes = peak_rss_bytes();
}

void run(const Procedure& procedure, const Entry& entry, const RunOptions& options) {
  if (options.dry_run) return dry_run(procedure, options);
  if (!options.machine.empty())
    throw Error::input("--machine", "this program can only run on this machine",
                       "add --dry-run to decide for another");
  Call call = read_call(procedure, options);
  const Team team(call.places);
  const auto load_start = Clock::now();
  graph::Graph graph = graph::load(options.graph, team);
  const double load_seconds = seconds_since(load_start);
  RunReport report = decided_report(procedure, call, options, graph.size());
  report.load_seconds = load_seconds;
  const memory::Context context{call.machine, team,
                                options.memory == "system"
                                    ? memory::system_backend()
                                    : memory::backend_by_name(options.memory)};
  graph::with_id_types(graph, [&]<class Node, class Edge>() {
    void (*function)(Run<Node, Edge>&) = nullptr;
    if constexpr (std::is_same_v<Node, std::uint64_t>)
      function = entry.wide;
    else if constexpr (std::is_same_v<Edge, std::uint64_t>)
      function = entry.mixed;
    else
      function = entry.narrow;
    if (function == nullptr)
      throw Error::input(
          options.graph,
          fmt::format("has ids of {} and {} bits, which this program wasn't compiled for",
                      8 * sizeof(Node), 8 * sizeof(Edge)),
          "start it with atoll run, or make it with atoll compile");
    place_and_run(report, context, graph, std::move(call.arguments), function, call.saves, options);
  });
  print(report, options);
}

}  // namespace

int main(int argc, char** argv, const Procedure& procedure, const Entry& entry) {
  CLI::App app{fmt::format("{}, compiled from {} by Atoll; {}.", procedure.name, procedure.source,
                           signature(procedure)),
               procedure.name};
  RunOptions options;
  add_run_options(app, options);
  return exit_code_of([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0)
        throw Error::input(procedure.name, error.what(), "see --help");
      app.exit(error);  // --help
      return;
    }
    run(procedure, entry, options);
  });
}

}  // namespace Atoll::program
