// Reads a call's arguments and files, decides layouts, and prints the report.
#include "program/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "atoll/base/error.hpp"
#include "atoll/base/separate_files.hpp"
#include "machine/file_of_name.hpp"
#include "program/rows.hpp"

namespace Atoll::program {
namespace {

std::pair<std::string, std::string> split(const std::string& text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error::input(option, fmt::format("'{}' has no '='", text), "write NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

Where where_of(const Argument& argument) {
  return [&argument] { return "--arg " + argument.name; };
}

std::vector<std::pair<const Argument*, std::string>> read_arguments(const Procedure& procedure,
                                                                    const RunOptions& options) {
  std::vector<std::pair<const Argument*, std::string>> values;
  for (const std::string& text : options.arguments) {
    const auto [name, value] = split(text, "--arg");
    const auto known = std::ranges::find_if(
        procedure.arguments,
        [&, &wanted = name](const Argument& a) { return !a.output && a.name == wanted; });
    if (known == procedure.arguments.end())
      throw Error::input("--arg", fmt::format("{} has no argument '{}'", procedure.name, name),
                         signature(procedure));
    if (std::ranges::any_of(values, [&](const auto& v) { return v.first == &*known; }))
      throw Error::input("--arg", fmt::format("'{}' is given twice", name), "give it once");
    if (!is_id(known->type)) {  // errors are reported before the graph is loaded
      const Scalar number = read_number(value, known->type, where_of(*known));
      if (const auto* real = std::get_if<double>(&number); real != nullptr && std::isnan(*real))
        throw Error::input("--arg " + name, fmt::format("'{}' is not a number", value),
                           "write a number, INF or -INF");
    }
    values.emplace_back(&*known, value);
  }
  for (const Argument& argument : procedure.arguments)
    if (!argument.output &&
        std::ranges::none_of(values, [&](const auto& v) { return v.first == &argument; })) {
      if (options.dry_run) continue;  // layouts don't depend on the value
      throw Error::input(
          "--arg", fmt::format("{} needs a value for '{}'", procedure.name, argument.name),
          fmt::format("add --arg {}=VALUE; {}", argument.name, signature(procedure)));
    }
  return values;
}

/// Returns the names of those properties and collections for which `wanted` is true.
template <class Wanted>
std::vector<std::string> names_of(const Procedure& procedure, Wanted&& wanted) {
  std::vector<std::string> names;
  for (const ArrayUse& array : procedure.arrays)
    if (wanted(array)) names.push_back(array.name);
  for (const CollectionUse& collection : procedure.collections)
    if (wanted(collection)) names.push_back(collection.name);
  return names;
}

std::string list_of(const std::vector<std::string>& names) {
  return names.empty() ? "it has none" : fmt::format("it has {}", fmt::join(names, ", "));
}

/// Parses --load or --save. Throws Error (input) unless each value names one of `known`, once.
std::vector<NamedFile> read_named(const std::vector<std::string>& texts, std::string_view option,
                                  std::string_view what, const std::vector<std::string>& known,
                                  const Procedure& procedure) {
  std::vector<NamedFile> files;
  for (const std::string& text : texts) {
    const auto [name, path] = split(text, option);
    if (std::ranges::find(known, name) == known.end())
      throw Error::input(option, fmt::format("'{}' is not {} of {}", name, what, procedure.name),
                         list_of(known));
    if (std::ranges::any_of(files, [&, &wanted = name](const auto& f) { return f.name == wanted; }))
      throw Error::input(option, fmt::format("'{}' is given twice", name), "give it once");
    const auto collection = std::ranges::find(procedure.collections, name, &CollectionUse::name);
    if (collection != procedure.collections.end() && form_of(path) == FileForm::binary)
      throw Error::input(
          option, fmt::format("'{}' is a collection, and binary files are of properties", name),
          collection->place == CollectionPlace::alone ? "name a text or a .csv file"
                                                      : "name a text file");
    if (collection != procedure.collections.end() && form_of(path) == FileForm::table &&
        collection->place != CollectionPlace::alone)
      throw Error::input(option,
                         fmt::format("'{}', a {}, has no table", name, type_name(*collection)),
                         "name a text file, with another ending");
    files.push_back({name, path});
  }
  return files;
}

/// Returns the possible tables: each graph's nodes and its edges, if a property of them is a
/// result.
std::vector<TableFile> tables_of(const Procedure& procedure) {
  std::vector<TableFile> tables;
  for (std::uint32_t graph = 0; graph < procedure.graphs.size(); ++graph)
    for (const bool edges : {false, true})
      if (std::ranges::any_of(procedure.arrays, [&](const ArrayUse& use) {
            return use.result && use.edges == edges && use.graph == graph;
          }))
        tables.push_back({graph, edges, {}});
  return tables;
}

/// Returns "nodes", or "H.nodes" for any graph but the first.
std::string name_of(const Procedure& procedure, const TableFile& table) {
  return fmt::format("{}{}", table.graph == 0 ? "" : procedure.graphs[table.graph] + ".",
                     table.edges ? "edges" : "nodes");
}

/// Parses a value of --csv: FILE, or the table's name and FILE.
TableFile read_table(const Procedure& procedure, const std::string& text) {
  const std::vector<TableFile> known = tables_of(procedure);
  if (known.empty())
    throw Error::input("--csv", fmt::format("{} gives no properties", procedure.name),
                       "--save writes what it gives");
  std::vector<std::string> wanted;
  for (std::uint32_t graph = 0; graph < procedure.graphs.size(); ++graph)
    for (const bool edges : {false, true})
      if (const TableFile table{graph, edges, {}};
          text.starts_with(name_of(procedure, table) + "=")) {
        const std::string path = text.substr(text.find('=') + 1);
        for (const TableFile& one : known)
          if (one.graph == graph && one.edges == edges) return {graph, edges, path};
        throw Error::input(
            "--csv",
            fmt::format("{} has no results of {}", procedure.name, name_of(procedure, table)),
            "write --csv FILE");
      }
  if (known.size() == 1) return {known[0].graph, known[0].edges, text};
  wanted.reserve(known.size());
  for (const TableFile& table : known)
    wanted.push_back(fmt::format("--csv {}={}", name_of(procedure, table), text));
  std::vector<std::string> kinds;
  kinds.reserve(known.size());
  for (const TableFile& table : known) kinds.push_back(name_of(procedure, table));
  throw Error::input(
      "--csv", fmt::format("{} has results of {}", procedure.name, fmt::join(kinds, " and of ")),
      fmt::format("write {}", fmt::join(wanted, " or ")));
}

/// Parses --csv and --by.
void read_table_options(CallFiles& call, const Procedure& procedure, const RunOptions& options) {
  if (!options.by.empty() && std::ranges::none_of(procedure.arrays, [&](const ArrayUse& use) {
        return use.result && use.name == options.by;
      }))
    throw Error::input(
        "--order-by",
        fmt::format("'{}' is not a property that {} gives", options.by, procedure.name),
        list_of(names_of(procedure, [](const auto& use) { return use.result; })));
  for (const std::string& text : options.csv) {
    const TableFile table = read_table(procedure, text);
    if (std::ranges::any_of(call.tables, [&](const TableFile& other) {
          return other.graph == table.graph && other.edges == table.edges;
        }))
      throw Error::input("--csv", "is given twice", "give it once");
    call.tables.push_back(table);
  }
}

/// Throws Error (input) for an implausible number of threads, which would take minutes or exhaust
/// the process's memory.
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

std::vector<std::string> inputs_of(const CallFiles& call, const RunOptions& options) {
  std::vector<std::string> paths = call.graphs;
  for (const NamedFile& load : call.loads) paths.push_back(load.path);
  paths.push_back(machine_file_of_name(options.machine));
  return paths;
}

}  // namespace

std::string signature(const Procedure& procedure) {
  std::string names;
  for (const Argument& argument : procedure.arguments)
    if (!argument.output) names += (names.empty() ? "" : ", ") + argument.name;
  return names.empty() ? "it takes none" : "it takes " + names;
}

std::string inputs_and_results(const Procedure& procedure) {
  std::string inputs, results;
  const bool several = procedure.graphs.size() > 1;
  const auto of = [&](std::uint32_t graph) {
    return several ? fmt::format("({})", procedure.graphs[graph]) : "";
  };
  const auto add = [](std::string& text, const std::string& name, const std::string& type,
                      std::string_view option) {
    text += fmt::format("  {:<16} {:<24} {}\n", name, type, option);
  };
  if (several)
    for (const std::string& graph : procedure.graphs)
      add(inputs, graph, "Graph", fmt::format("--graph {}=FILE", graph));
  for (const Argument& argument : procedure.arguments)
    add(argument.output ? results : inputs, argument.name,
        fmt::format("{}{}", to_string(argument.type),
                    is_id(argument.type) ? of(argument.graph) : ""),
        argument.output ? "" : "--arg");
  const auto add_both = [&](const auto& use, const std::string& type) {
    if (use.input) add(inputs, use.name, type, "--load");
    if (use.result) add(results, use.name, type, "--save");
  };
  for (const ArrayUse& use : procedure.arrays)
    add_both(use, fmt::format("{}_Prop<{}{}>{}", use.edges ? "Edge" : "Node", to_string(use.type),
                              is_id(use.type) ? of(use.value_graph) : "", of(use.graph)));
  for (const CollectionUse& use : procedure.collections)
    add_both(use, type_name(use) + (use.kind == CollectionKind::map ? "" : of(use.graph)));
  if (procedure.returns) add(results, "(returned)", std::string(to_string(*procedure.returns)), "");
  return (inputs.empty() ? "" : "Inputs:\n" + inputs) +
         (results.empty() ? "" : "Results:\n" + results);
}

std::vector<std::string> graph_files(const Procedure& procedure, const RunOptions& options) {
  const auto& names = procedure.graphs;
  if (names.empty() && !options.graphs.empty())
    throw Error::input("--graph", fmt::format("{} takes no graph", procedure.name), "leave it out");
  std::vector<std::string> files(names.size());
  for (const std::string& text : options.graphs) {
    // NAME=FILE, or FILE for the next graph. A file's name may contain '=', too.
    const auto named = std::ranges::find(names, text.substr(0, text.find('=')));
    const bool is_named = named != names.end() && text.find('=') != std::string::npos;
    const std::size_t position = static_cast<std::size_t>(
        is_named ? named - names.begin() : std::ranges::find(files, "") - files.begin());
    if (position == files.size())
      throw Error::input("--graph",
                         fmt::format("{} takes {} graph{}", procedure.name, names.size(),
                                     names.size() == 1 ? "" : "s"),
                         "leave the others out");
    if (!files[position].empty())
      throw Error::input("--graph", fmt::format("'{}' is given twice", names[position]),
                         "give it once");
    files[position] = is_named ? text.substr(text.find('=') + 1) : text;
  }
  if (const auto missing = std::ranges::find(files, ""); missing != files.end()) {
    const std::string& name = names[static_cast<std::size_t>(missing - files.begin())];
    throw Error::input(
        "--graph", fmt::format("{} needs a file for '{}'", procedure.name, name),
        names.size() == 1 ? "add --graph FILE" : fmt::format("add --graph {}=FILE", name));
  }
  return files;
}

ThreadPlaces places_on(const Machine& machine, const RunOptions& options) {
  check_threads(machine, options);
  return spread_places(machine, options.threads);
}

std::vector<std::string> outputs_of(const CallFiles& call) {
  std::vector<std::string> paths;
  for (const TableFile& table : call.tables) paths.push_back(table.path);
  for (const NamedFile& save : call.saves) paths.push_back(save.path);
  return paths;
}

CallFiles read_files(const Procedure& procedure, const RunOptions& options) {
  CallFiles call{.arguments = read_arguments(procedure, options),
                 .graphs = graph_files(procedure, options),
                 .loads = read_named(options.load, "--load", "an input",
                                     names_of(procedure, [](const auto& use) { return use.input; }),
                                     procedure),
                 .saves = read_named(
                     options.save, "--save", "a result",
                     names_of(procedure, [](const auto& use) { return use.result; }), procedure),
                 .tables = {}};
  read_table_options(call, procedure, options);
  check_separate_files(outputs_of(call), inputs_of(call, options));
  return call;
}

Call read_call(const Procedure& procedure, const RunOptions& options) {
  Machine machine = Machine::open(options.machine);
  ThreadPlaces places = places_on(machine, options);
  return {read_files(procedure, options), std::move(machine), std::move(places)};
}

std::vector<std::pair<std::string, Scalar>> values_of(const Call& call,
                                                      const std::vector<Names>& names) {
  std::vector<std::pair<std::string, Scalar>> values;
  values.reserve(call.arguments.size());
  for (const auto& [argument, text] : call.arguments)
    values.emplace_back(
        argument->name,
        is_id(argument->type)
            ? read_value(text, argument->type, names[argument->graph], where_of(*argument))
            : read_number(text, argument->type, where_of(*argument)));
  return values;
}

void check_nodes(const CallFiles& call, const std::vector<graph::GraphSize>& sizes) {
  for (const auto& [argument, text] : call.arguments) {
    if (!is_id(argument->type)) continue;
    const graph::GraphSize& size = sizes[argument->graph];
    if (argument->type != ValueType::node || size.labels || text == "NIL") continue;
    static_cast<void>(node_number(text, size.nodes, where_of(*argument)));
  }
}

RunReport decided_report(const Procedure& procedure, const Call& call, const RunOptions& options,
                         const std::vector<graph::GraphSize>& sizes) {
  RunReport report{.procedure = &procedure,
                   .graphs = call.graphs,
                   .sizes = sizes,
                   .machine = &call.machine,
                   .places = &call.places};
  report.policy = options.layout == LayoutKind::automatic
                      ? std::string(to_string(options.policy))
                      : fmt::format("none (--layout {})", to_string(options.layout));
  report.dry_run = options.dry_run;
  for (DecidedArray& array : decide(procedure, sizes, call.machine, call.places, options))
    report.arrays.push_back({std::move(array), {}});
  return report;
}

void print(const RunReport& report, const RunOptions& options) {
  const std::string text = options.json ? to_json(report) + "\n" : to_text(report);
  const bool is_put = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!is_put || std::fflush(stdout) != 0)
    throw Error::system("standard output", "writing to it", errno);
}

}  // namespace Atoll::program
