// Reads a call, decides, and prints.
#include "program/call.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "atoll/base/error.hpp"
#include "program/rows.hpp"

namespace Atoll::program {
namespace {

std::pair<std::string, std::string> split(const std::string& text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error::input(option, fmt::format("'{}' has no '='", text), "write NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

bool is_id(ValueType type) {
  return type == ValueType::node || type == ValueType::edge;
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
    if (!is_id(known->type))  // mistakes are told before the graph is loaded
      static_cast<void>(read_number(value, known->type, where_of(*known)));
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

/// The names of what is in both, a property's and a collection's alike.
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

/// Reads --load or --save, and throws unless each names one of `known`, once.
std::vector<NamedFile> read_files(const std::vector<std::string>& texts, std::string_view option,
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
    if (form_of(path) == FileForm::binary &&
        std::ranges::any_of(procedure.collections,
                            [&, &wanted = name](const auto& c) { return c.name == wanted; }))
      throw Error::input(
          option, fmt::format("'{}' is a collection, and binary files are of properties", name),
          "name a text or a .csv file");
    files.push_back({name, path});
  }
  return files;
}

/// Reads --csv and --by.
void read_table_options(Call& call, const Procedure& procedure, const RunOptions& options) {
  const auto results = [&](bool edges) {
    return names_of(procedure, [&](const auto& use) {
      if constexpr (std::is_same_v<decltype(use), const ArrayUse&>)
        return use.result && use.edges == edges;
      return false;
    });
  };
  const std::vector<std::string> of_nodes = results(false), of_edges = results(true);
  if (!options.by.empty() && std::ranges::find(of_nodes, options.by) == of_nodes.end() &&
      std::ranges::find(of_edges, options.by) == of_edges.end())
    throw Error::input(
        "--by", fmt::format("'{}' is not a property that {} gives", options.by, procedure.name),
        list_of(names_of(procedure, [](const auto& use) { return use.result; })));
  for (const std::string& text : options.csv) {
    const bool nodes = text.starts_with("nodes="), edges = text.starts_with("edges=");
    if (of_nodes.empty() && of_edges.empty())
      throw Error::input("--csv", fmt::format("{} gives no properties", procedure.name),
                         "--save writes what it gives");
    if (!nodes && !edges && !of_nodes.empty() && !of_edges.empty())
      throw Error::input("--csv",
                         fmt::format("{} has results of nodes and of edges", procedure.name),
                         fmt::format("write --csv nodes={0} or --csv edges={0}", text));
    const bool is_of_edges = edges || (!nodes && of_nodes.empty());
    if (is_of_edges ? of_edges.empty() : of_nodes.empty())
      throw Error::input(
          "--csv",
          fmt::format("{} has no results of {}", procedure.name, is_of_edges ? "edges" : "nodes"),
          "write --csv FILE");
    std::string& path = is_of_edges ? call.edges_csv : call.nodes_csv;
    if (!path.empty()) throw Error::input("--csv", "is given twice", "give it once");
    path = nodes || edges ? text.substr(text.find('=') + 1) : text;
  }
}

/// Throws if two outputs would be written to one file.
void check_outputs(const Call& call) {
  std::vector<std::string> paths{call.nodes_csv, call.edges_csv};
  for (const NamedFile& save : call.saves) paths.push_back(save.path);
  std::erase(paths, "");
  std::ranges::sort(paths);
  if (const auto twice = std::ranges::adjacent_find(paths); twice != paths.end())
    throw Error::input(*twice, "two results can't be written to one file",
                       "name one file for each");
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

}  // namespace

std::string signature(const Procedure& procedure) {
  std::string names;
  for (const Argument& argument : procedure.arguments)
    if (!argument.output) names += (names.empty() ? "" : ", ") + argument.name;
  return names.empty() ? "it takes none" : "it takes " + names;
}

std::string inputs_and_results(const Procedure& procedure) {
  std::string inputs, results;
  const auto add = [](std::string& text, const std::string& name, const std::string& type,
                      std::string_view option) {
    text += fmt::format("  {:<16} {:<24} {}\n", name, type, option);
  };
  for (const Argument& argument : procedure.arguments)
    add(argument.output ? results : inputs, argument.name, std::string(to_string(argument.type)),
        argument.output ? "" : "--arg");
  const auto add_both = [&](const auto& use, const std::string& type) {
    if (use.input) add(inputs, use.name, type, "--load");
    if (use.result) add(results, use.name, type, "--save");
  };
  for (const ArrayUse& use : procedure.arrays)
    add_both(use, fmt::format("{}_Prop<{}>", use.edges ? "Edge" : "Node", to_string(use.type)));
  for (const CollectionUse& use : procedure.collections)
    add_both(use, use.kind == CollectionKind::map
                      ? fmt::format("Map<{}, {}>", to_string(use.key), to_string(use.value))
                      : std::string(to_string(use.kind)));
  if (procedure.returns) add(results, "(returned)", std::string(to_string(*procedure.returns)), "");
  return (inputs.empty() ? "" : "Inputs:\n" + inputs) +
         (results.empty() ? "" : "Results:\n" + results);
}

Call read_call(const Procedure& procedure, const RunOptions& options) {
  if (!procedure.graph && !options.graph.empty())
    throw Error::input("--graph", fmt::format("{} takes no graph", procedure.name), "leave it out");
  Machine machine = Machine::open(options.machine);
  check_threads(machine, options);
  ThreadPlaces places = spread_places(machine, options.threads);
  Call call{.machine = std::move(machine),
            .places = std::move(places),
            .arguments = read_arguments(procedure, options),
            .loads = read_files(options.load, "--load", "an input",
                                names_of(procedure, [](const auto& use) { return use.input; }),
                                procedure),
            .saves = read_files(options.save, "--save", "a result",
                                names_of(procedure, [](const auto& use) { return use.result; }),
                                procedure),
            .nodes_csv = {},
            .edges_csv = {}};
  read_table_options(call, procedure, options);
  check_outputs(call);
  return call;
}

std::vector<std::pair<std::string, Scalar>> values_of(const Call& call, const Names& names) {
  std::vector<std::pair<std::string, Scalar>> values;
  values.reserve(call.arguments.size());
  for (const auto& [argument, text] : call.arguments)
    values.emplace_back(argument->name,
                        is_id(argument->type)
                            ? read_value(text, argument->type, names, where_of(*argument))
                            : read_number(text, argument->type, where_of(*argument)));
  return values;
}

void check_nodes(const Call& call, const graph::GraphSize& size) {
  for (const auto& [argument, text] : call.arguments) {
    if (argument->type != ValueType::node || size.labels || text == "NIL") continue;
    static_cast<void>(node_number(text, size.nodes, where_of(*argument)));
  }
}

RunReport decided_report(const Procedure& procedure, const Call& call, const RunOptions& options,
                         const graph::GraphSize& size) {
  RunReport report{.procedure = &procedure,
                   .graph = options.graph,
                   .size = size,
                   .machine = &call.machine,
                   .places = &call.places};
  report.policy = options.layout == LayoutKind::automatic
                      ? std::string(to_string(options.policy))
                      : fmt::format("none (--layout {})", to_string(options.layout));
  report.dry_run = options.dry_run;
  for (DecidedArray& array : decide(procedure, size, call.machine, call.places, options))
    report.arrays.push_back({std::move(array), {}});
  return report;
}

void print(const RunReport& report, const RunOptions& options) {
  const std::string text = options.json ? to_json(report) + "\n" : to_text(report);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) != 0) throw Error::failed("standard output", "can't be written to");
}

}  // namespace Atoll::program
