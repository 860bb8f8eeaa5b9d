// Results of the interpreter as text: "Return 3 x=1 p=[0 INF] S=(0 2) m={1:5}".
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/parser.hpp"
#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

/// Parses a program that has no syntax errors.
inline ast::Module parsed(const std::string& program) {
  const Source source{"x.gm", program};
  Diagnostics diagnostics(source);
  ast::Module module = parse(diagnostics);
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    throw std::logic_error(diagnostic.to_string());
  return module;
}

inline std::string text_of(const Outputs& outputs) {
  std::string text;
  const auto add = [&](std::string_view part) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", part);
  };
  const auto list = [](const auto& items, auto&& one) {
    std::string all;
    for (const auto& item : items) all += (all.empty() ? "" : " ") + one(item);
    return all;
  };
  const auto plain = [](const Value& value) { return to_string(value); };
  if (outputs.returned) add("Return " + plain(*outputs.returned));
  for (const auto& [name, value] : outputs.scalars) add(name + "=" + plain(value));
  for (const auto& [name, values] : outputs.properties)
    add(fmt::format("{}=[{}]", name, list(values, plain)));
  for (const auto& [name, ids] : outputs.collections)
    add(fmt::format("{}=({})", name, list(ids, [](Id id) { return fmt::format("{}", id); })));
  for (const auto& [name, many] : outputs.many)
    add(fmt::format("{}=[{}]", name, list(many, [&](const std::vector<Id>& ids) {
                      return fmt::format("({})", fmt::join(ids, " "));
                    })));
  for (const auto& [name, entries] : outputs.maps)
    add(fmt::format("{}={{{}}}", name, list(entries, [&](const auto& entry) {
                      return plain(entry.first) + ":" + plain(entry.second);
                    })));
  return text;
}

/// Runs a program on a graph. Returns its results, or "stops at LINE:COLUMN" if it stops.
inline std::string answer(const std::string& program, const Graph& graph,
                          const Inputs& inputs = {}) {
  try {
    return text_of(interpret(parsed(program), {graph}, inputs));
  } catch (const Stop& stop) {
    return fmt::format("stops at {}:{}", stop.at.line, stop.at.column);
  }
}

}  // namespace Atoll::greenmarl::oracle
