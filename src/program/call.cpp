// Reads a call, decides, and prints.
#include "program/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

std::pair<std::string, std::string> split(const std::string& text, std::string_view option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error::input(option, fmt::format("'{}' has no '='", text), "write NAME=VALUE");
  return {text.substr(0, equals), text.substr(equals + 1)};
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
  if (argument.type == ValueType::float32 || argument.type == ValueType::float64) {
    double number = 0;
    if (!parse(text, number)) throw wrong("a number");
    return number;
  }
  if (argument.type == ValueType::boolean) {
    if (text == "true" || text == "1") return std::int64_t{1};
    if (text == "false" || text == "0") return std::int64_t{0};
    throw wrong("true or false");
  }
  std::int64_t number = 0;
  if (!parse(text, number)) throw wrong("a 64-bit integer");
  if (argument.type == ValueType::int32 && number != static_cast<std::int32_t>(number))
    throw wrong("an Int (32 bits); the procedure could take a Long");
  return number;
}

std::vector<std::pair<std::string, Scalar>> read_arguments(const Procedure& procedure,
                                                           const RunOptions& options) {
  std::vector<std::pair<std::string, Scalar>> values;
  for (const std::string& text : options.arguments) {
    const auto [name, value] = split(text, "--arg");
    const auto known = std::find_if(
        procedure.arguments.begin(), procedure.arguments.end(),
        [&, &wanted = name](const Argument& a) { return !a.output && a.name == wanted; });
    if (known == procedure.arguments.end())
      throw Error::input("--arg", fmt::format("{} has no argument '{}'", procedure.name, name),
                         signature(procedure));
    if (std::any_of(values.begin(), values.end(),
                    [&, &wanted = name](const auto& v) { return v.first == wanted; }))
      throw Error::input("--arg", fmt::format("'{}' is given twice", name), "give it once");
    values.emplace_back(name, parse_scalar(*known, value));
  }
  for (const Argument& argument : procedure.arguments)
    if (!argument.output && std::none_of(values.begin(), values.end(),
                                         [&](const auto& v) { return v.first == argument.name; })) {
      if (options.dry_run) continue;  // layouts don't depend on the value
      throw Error::input(
          "--arg", fmt::format("{} needs a value for '{}'", procedure.name, argument.name),
          fmt::format("add --arg {}=VALUE; {}", argument.name, signature(procedure)));
    }
  return values;
}

/// Throws unless arguments of type Node name nodes.
void check_nodes(const Procedure& procedure,
                 const std::vector<std::pair<std::string, Scalar>>& values, std::uint64_t nodes) {
  for (const auto& [name, value] : values)
    for (const Argument& argument : procedure.arguments) {
      if (argument.name != name || argument.type != ValueType::node) continue;
      const std::int64_t node = std::get<std::int64_t>(value);
      if (node < 0 || static_cast<std::uint64_t>(node) >= nodes)
        throw Error::input("--arg " + name, fmt::format("there is no node {} in the graph", node),
                           nodes == 0 ? "it has none" : fmt::format("nodes are 0 … {}", nodes - 1));
    }
}

/// Reads --save as pairs (property, file), and throws unless all are results.
std::vector<std::pair<std::string, std::string>> read_saves(const Procedure& procedure,
                                                            const RunOptions& options) {
  std::vector<std::pair<std::string, std::string>> saves;
  for (const std::string& text : options.save) {
    saves.push_back(split(text, "--save"));
    const std::string& name = saves.back().first;
    if (std::none_of(procedure.arrays.begin(), procedure.arrays.end(),
                     [&](const ArrayUse& array) { return array.result && array.name == name; }))
      throw Error::input("--save", fmt::format("'{}' is not a result of {}", name, procedure.name),
                         "name an output property of the procedure");
  }
  return saves;
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

Call read_call(const Procedure& procedure, const RunOptions& options) {
  Machine machine = Machine::open(options.machine);
  check_threads(machine, options);
  ThreadPlaces places = spread_places(machine, options.threads);
  return {std::move(machine), std::move(places), read_arguments(procedure, options),
          read_saves(procedure, options)};
}

RunReport decided_report(const Procedure& procedure, const Call& call, const RunOptions& options,
                         const graph::GraphSize& size) {
  check_nodes(procedure, call.arguments, size.nodes);
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
