// Emits the file around the function: includes, the description, main().
#include "greenmarl/emit.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "greenmarl/emit_expression.hpp"
#include "greenmarl/emit_function.hpp"
#include "greenmarl/emit_names.hpp"

namespace Atoll::greenmarl {
namespace {

std::string_view description_type(Type type) {
  switch (type) {
    case Type::int32:
      return "Type::int32";
    case Type::int64:
      return "Type::int64";
    case Type::float32:
      return "Type::float32";
    case Type::float64:
      return "Type::float64";
    case Type::boolean:
      return "Type::boolean";
    case Type::node:
      return "Type::node";
    case Type::edge:
      return "Type::edge";
  }
  return "?";
}

/// A formula's own text is C++ on Formula objects, except for powers: N^2 is N*N.
std::string cpp_formula(const Formula& formula) {
  std::string text;
  std::string symbol;
  const std::string from = formula.to_string();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == '^') {
      int power = from[++i] - '0';
      while (i + 1 < from.size() && from[i + 1] >= '0' && from[i + 1] <= '9')
        power = power * 10 + (from[++i] - '0');
      for (; power > 1; --power) text += "*" + symbol;
      continue;
    }
    const bool in_symbol = std::isalnum(static_cast<unsigned char>(from[i])) != 0;
    const bool starts = i == 0 || std::isalnum(static_cast<unsigned char>(from[i - 1])) == 0;
    if (in_symbol && starts) symbol.clear();
    if (in_symbol) symbol += from[i];
    text += from[i];
  }
  return text;
}

std::string symbols(const ir::Procedure& procedure) {
  std::string text =
      "  [[maybe_unused]] const Formula N = Formula::symbol(\"N\"), E = Formula::symbol(\"E\")";
  text += ", deg = Formula::symbol(\"deg\")";
  for (const auto& [symbol, counter] : procedure.trips)
    text += fmt::format(", {0} = Formula::symbol(\"{0}\")", symbol);
  return text + ";\n";
}

std::string array_text(const ArrayUse& use) {
  std::string text = fmt::format("  arrays.push_back({{.name = {}, .type = {},\n",
                                 cpp_string(use.name), description_type(use.type));
  text += fmt::format("                    .pattern = {{.elements = {}{}{},\n",
                      cpp_formula(use.pattern.elements),
                      use.pattern.graph_own ? ", .graph_own = true" : "",
                      use.pattern.temporary ? ", .temporary = true" : "");
  text += "                                .accesses = {";
  for (std::size_t i = 0; i < use.pattern.accesses.size(); ++i) {
    const Access& access = use.pattern.accesses[i];
    text += fmt::format("{}{{{}, Order::{}, {}}}", i == 0 ? "" : ",\n" + std::string(45, ' '),
                        access.write ? "true" : "false", to_string(access.order),
                        cpp_formula(access.count));
  }
  text += "}}";
  if (use.result) text += ", .result = true";
  if (!use.group.empty()) text += ", .group = " + cpp_string(use.group);
  return text + "});\n";
}

/// The name has no folder: the same program elsewhere is the same C++.
std::string file_name(const ir::Procedure& procedure) {
  return std::filesystem::path(procedure.source->name).filename().string();
}

std::string description(const ir::Procedure& procedure, const std::vector<ArrayUse>& arrays) {
  std::string text = "Atoll::program::Description describe() {\n";
  text += "  using Atoll::Formula, Atoll::Order, Atoll::program::Type;\n";
  text += symbols(procedure);
  text += fmt::format("  Atoll::program::Description description{{{}, {}, {{}}, {{}}}};\n",
                      cpp_string(procedure.name), cpp_string(file_name(procedure)));
  for (const ir::SymbolId id : procedure.arguments)
    text += fmt::format("  description.arguments.push_back({{{}, {}}});\n",
                        cpp_string(procedure[id].name), description_type(procedure[id].type));
  text += "  auto& arrays = description.arrays;\n";
  for (const ArrayUse& use : arrays) text += array_text(use);
  return text + "  return description;\n}\n";
}

}  // namespace

std::string emit(const ir::Procedure& procedure, const std::vector<ArrayUse>& arrays) {
  const std::string name = cpp_name(procedure.name);
  std::string text =
      fmt::format("// {}, compiled from Green-Marl by Atoll {}.\n", name, ATOLL_VERSION);
  text +=
      "#include <algorithm>\n#include <cmath>\n#include <cstddef>\n#include <cstdint>\n"
      "#include <functional>\n#include <limits>\n\n"
      "#include \"atoll/greenmarl/runtime.hpp\"\n#include \"atoll/program/program.hpp\"\n\n"
      "namespace {\n\n";
  text += emit_function(procedure, name) + "\n" + description(procedure, arrays);
  text += fmt::format(
      "\n}}  // namespace\n\nint main(int argc, char** argv) {{\n"
      "  return Atoll::program::main(argc, argv, describe(),\n"
      "                              {{{0}<std::uint32_t, std::uint32_t>,\n"
      "                               {0}<std::uint32_t, std::uint64_t>,\n"
      "                               {0}<std::uint64_t, std::uint64_t>}});\n}}\n",
      name);
  return text;
}

}  // namespace Atoll::greenmarl
