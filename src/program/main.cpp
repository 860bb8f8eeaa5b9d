// main() of a compiled graph program: options, graph, layouts, placement, the run, the report.
#include <sys/resource.h>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <thread>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/exit_code.hpp"
#include "program/placed_run.hpp"
#include "program/report.hpp"

namespace Atoll::program {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::pair<std::string, std::string> split(const std::string& text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error::input(option, fmt::format("'{}' has no '='", text), "write NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string signature(const Description& description) {
  std::string names;
  for (const Argument& argument : description.arguments)
    names += (names.empty() ? "" : ", ") + argument.name;
  return names.empty() ? "it takes none" : "it takes " + names;
}

template <class Number>
bool parse(const std::string& text, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && rest == text.data() + text.size() && !text.empty();
}

Scalar parse_scalar(const Argument& argument, const std::string& text) {
  const auto wrong = [&](std::string_view expected) {
    return Error::input("--arg " + argument.name, fmt::format("'{}' is not {}", text, expected));
  };
  if (argument.type == Type::float32 || argument.type == Type::float64) {
    double number = 0;
    if (!parse(text, number)) throw wrong("a number");
    return number;
  }
  if (argument.type == Type::boolean) {
    if (text == "true" || text == "1") return std::int64_t{1};
    if (text == "false" || text == "0") return std::int64_t{0};
    throw wrong("true or false");
  }
  std::int64_t number = 0;
  if (!parse(text, number)) throw wrong("a 64-bit integer");
  if (argument.type == Type::int32 && number != static_cast<std::int32_t>(number))
    throw wrong("an Int (32 bits); the procedure could take a Long");
  return number;
}

std::vector<std::pair<std::string, Scalar>> read_arguments(const Description& description,
                                                           const RunOptions& options) {
  std::vector<std::pair<std::string, Scalar>> values;
  for (const std::string& text : options.arguments) {
    const auto [name, value] = split(text, "--arg");
    const auto known =
        std::find_if(description.arguments.begin(), description.arguments.end(),
                     [&, &wanted = name](const Argument& a) { return a.name == wanted; });
    if (known == description.arguments.end())
      throw Error::input("--arg", fmt::format("{} has no argument '{}'", description.name, name),
                         signature(description));
    if (std::any_of(values.begin(), values.end(),
                    [&, &wanted = name](const auto& v) { return v.first == wanted; }))
      throw Error::input("--arg", fmt::format("'{}' is given twice", name), "give it once");
    values.emplace_back(name, parse_scalar(*known, value));
  }
  for (const Argument& argument : description.arguments)
    if (std::none_of(values.begin(), values.end(),
                     [&](const auto& v) { return v.first == argument.name; })) {
      if (options.dry_run) continue;  // layouts don't depend on the value
      throw Error::input(
          "--arg", fmt::format("{} needs a value for '{}'", description.name, argument.name),
          fmt::format("add --arg {}=VALUE; {}", argument.name, signature(description)));
    }
  return values;
}

/// Throws unless arguments of type Node name nodes.
void check_nodes(const Description& description,
                 const std::vector<std::pair<std::string, Scalar>>& values, std::uint64_t nodes) {
  for (const auto& [name, value] : values)
    for (const Argument& argument : description.arguments) {
      if (argument.name != name || argument.type != Type::node) continue;
      const std::int64_t node = std::get<std::int64_t>(value);
      if (node < 0 || static_cast<std::uint64_t>(node) >= nodes)
        throw Error::input("--arg " + name, fmt::format("there is no node {} in the graph", node),
                           nodes == 0 ? "it has none" : fmt::format("nodes are 0 … {}", nodes - 1));
    }
}

/// Reads --save as pairs (property, file), and throws unless all are results.
std::vector<std::pair<std::string, std::string>> read_saves(const Description& description,
                                                            const RunOptions& options) {
  std::vector<std::pair<std::string, std::string>> saves;
  for (const std::string& text : options.save) {
    saves.push_back(split(text, "--save"));
    const std::string& name = saves.back().first;
    if (std::none_of(description.arrays.begin(), description.arrays.end(),
                     [&](const ArraySpec& array) { return array.result && array.name == name; }))
      throw Error::input("--save",
                         fmt::format("'{}' is not a result of {}", name, description.name),
                         "name an output property of the procedure");
  }
  return saves;
}

template <class Node, class Edge>
ResultReport summarise(const PlacedRun<Node, Edge>& run, const ArraySpec& spec, std::uint64_t nodes,
                       int top, const graph::Graph& graph) {
  ResultReport result{.name = spec.name, .top = {}, .sum = 0};
  std::vector<double> values(nodes);
  for (std::uint64_t node = 0; node < nodes; ++node) values[node] = run.value(spec.name, node);
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
void place_and_run(RunReport& report, const memory::Context& context,
                   const std::vector<DecidedArray>& arrays, graph::Graph& graph,
                   std::vector<std::pair<std::string, Scalar>> arguments,
                   void (*function)(Run<Node, Edge>&),
                   const std::vector<std::pair<std::string, std::string>>& saves, int top) {
  const auto place_start = Clock::now();
  PlacedRun<Node, Edge> run(context, arrays, graph, std::move(arguments));
  report.place_seconds = seconds_since(place_start);

  const auto run_start = Clock::now();
  function(run);
  report.run_seconds = seconds_since(run_start);

  report.trip_counts = run.trip_counts();
  report.returned = run.returned();
  for (const DecidedArray& array : arrays) {
    report.arrays.push_back({array, run.raw(*array.spec).where()});
    if (array.spec->result && array.elements == graph.nodes())
      report.results.push_back(summarise(run, *array.spec, graph.nodes(), top, graph));
  }
  for (const auto& [property, path] : saves) save_result(run, property, path, graph);
  report.peak_rss_bytes = peak_rss_bytes();
}

/// Throws if there are so many threads that it must be a mistake: they would take minutes, or all
/// of the process's memory.
void check_threads(const Machine& machine, const RunOptions& options) {
  constexpr std::size_t kMaxForEachUnit = 4;
  const std::size_t units = machine.processors().size();
  if (options.oversubscribe || static_cast<std::size_t>(options.threads) <= kMaxForEachUnit * units)
    return;
  throw Error::input("--threads",
                     fmt::format("{} threads are more than {} for each of the {} processing units",
                                 options.threads, kMaxForEachUnit, units),
                     "take fewer, or add --oversubscribe");
}

void run(const Description& description, const Entry& entry, const RunOptions& options) {
  if (!options.machine.empty() && !options.dry_run)
    throw Error::input("--machine", "this program can only run on this machine",
                       "add --dry-run to decide for another");
  const Machine machine = Machine::open(options.machine);
  check_threads(machine, options);
  const ThreadPlaces places = spread_places(machine, options.threads);
  auto arguments = read_arguments(description, options);
  const auto saves = read_saves(description, options);

  // A dry run for another machine reads the graph with this machine's threads, unpinned.
  const Team team(
      options.dry_run ? ThreadPlaces(std::max(1U, std::thread::hardware_concurrency())) : places,
      Team::Runtime::openmp, !options.dry_run);
  const auto load_start = Clock::now();
  graph::Graph graph = graph::load(options.graph, team);
  RunReport report{
      .description = &description, .graph = options.graph, .machine = &machine, .places = &places};
  report.load_seconds = seconds_since(load_start);
  check_nodes(description, arguments, graph.nodes());
  report.size = {graph.nodes(), graph.edges(), static_cast<std::uint32_t>(graph.node_width()),
                 static_cast<std::uint32_t>(graph.edge_width())};
  report.policy = options.layout == LayoutKind::automatic
                      ? std::string(to_string(options.policy))
                      : fmt::format("none (--layout {})", to_string(options.layout));
  report.dry_run = options.dry_run;
  const std::vector<DecidedArray> arrays =
      decide(description, report.size, machine, places, options);
  if (options.dry_run) {
    for (const DecidedArray& array : arrays) report.arrays.push_back({array, {}});
  } else {
    const memory::Context context{machine, team,
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
      place_and_run(report, context, arrays, graph, std::move(arguments), function, saves,
                    options.top);
    });
  }
  const std::string text = options.json ? to_json(report) + "\n" : to_text(report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw Error::failed("standard output", "can't be written to");
}

}  // namespace

int main(int argc, char** argv, const Description& description, const Entry& entry) {
  CLI::App app{fmt::format("{}, compiled from {} by Atoll; {}.", description.name,
                           description.source, signature(description)),
               description.name};
  RunOptions options;
  add_run_options(app, options);
  return exit_code_of([&] {
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() != 0)
        throw Error::input(description.name, error.what(), "see --help");
      app.exit(error);  // --help
      return;
    }
    run(description, entry, options);
  });
}

}  // namespace Atoll::program
