// The steps of the compiler, in their order.
#include "greenmarl/pipeline.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/analyse.hpp"
#include "greenmarl/check_races.hpp"
#include "greenmarl/effects.hpp"
#include "greenmarl/emit.hpp"
#include "greenmarl/emit_names.hpp"
#include "greenmarl/lower.hpp"
#include "greenmarl/needed_inputs.hpp"
#include "greenmarl/parser.hpp"
#include "greenmarl/pass_count_trips.hpp"
#include "greenmarl/pass_drop_second_arrays.hpp"
#include "greenmarl/pass_expand_deferred.hpp"
#include "greenmarl/pass_fuse_loops.hpp"
#include "greenmarl/pass_hoist_invariants.hpp"
#include "greenmarl/pass_materialise_gathers.hpp"
#include "greenmarl/pass_privatise_reductions.hpp"
#include "greenmarl/pass_recognise_fills.hpp"
#include "greenmarl/pass_swap_second_arrays.hpp"

namespace Atoll::greenmarl {

std::span<const Pass> declaring_passes() {
  static constexpr auto passes = std::to_array<Pass>({
      {"expand_deferred", expand_deferred},
  });
  return passes;
}

std::span<const Pass> optimising_passes() {
  static constexpr auto passes = std::to_array<Pass>({
      {"materialise_gathers", materialise_gathers},  // p may then be read only at its own node, …
      {"drop_second_arrays", drop_second_arrays},    // … so that p_nxt isn't needed
      {"swap_second_arrays", swap_second_arrays},    // if needed, it is swapped, not copied
      {"fuse_loops", fuse_loops},
      {"recognise_fills", recognise_fills},
      {"hoist_invariants", hoist_invariants},
      {"privatise_reductions", privatise_reductions},
      {"count_trips", count_trips},
  });
  return passes;
}

namespace {

/// Returns the procedure to compile.
const ast::Procedure& chosen(const ast::Module& module, std::string_view file,
                             const CompileOptions& options) {
  for (const ast::Procedure& procedure : module.procedures)
    if (options.procedure.empty() ? !procedure.local : procedure.name.text == options.procedure)
      return procedure;
  std::string names;
  for (const ast::Procedure& procedure : module.procedures)
    names += (names.empty() ? "" : ", ") + procedure.name.text;
  if (options.procedure.empty())
    throw Error::input(file, "all procedures are Local", "take Local away from the one to run");
  throw Error::input(file, fmt::format("there is no procedure '{}'", options.procedure),
                     fmt::format("it has {}", names));
}

/// Reports procedures of the same name.
void check_names(const ast::Module& module, Diagnostics& diagnostics) {
  std::map<std::string_view, Position> known;
  for (const ast::Procedure& procedure : module.procedures) {
    const auto [first, is_new] = known.emplace(procedure.name.text, procedure.name.at);
    if (!is_new)
      diagnostics.error(procedure.name.at,
                        fmt::format("a procedure '{}' is defined already, in line {}",
                                    procedure.name.text, first->second.line),
                        "choose another name");
  }
}

void throw_if_failed(const Diagnostics& diagnostics, const CompileOptions& options) {
  std::vector<Diagnostic> list = diagnostics.sorted();
  if (options.warnings_are_errors)
    for (Diagnostic& diagnostic : list) diagnostic.error = true;
  if (diagnostics.failed() || (options.warnings_are_errors && !list.empty()))
    throw CompileError(std::move(list));
}

ValueType value_of(const Type& type) {
  return type.value;
}

CollectionUse collection_use(const ir::Procedure& procedure, ir::SymbolId id,
                             const ir::Effects& effects) {
  const ir::Symbol& symbol = procedure[id];
  CollectionUse use{.name = symbol.name};
  if (symbol.type.shape == Shape::map) {
    use.kind = CollectionKind::map;
    use.key = value_of(symbol.type.of[0]);
    use.value = value_of(symbol.type.of[1]);
    use.graph = number_of(procedure, symbol.type.of[0].graph);
    use.value_graph = number_of(procedure, symbol.type.of[1].graph);
  } else {
    const Type& held = ir::element_type(symbol);
    const Type& one = held.is(CollectionShape::many) ? held.of[0] : held;
    if (symbol.type.shape == Shape::property)
      use.place = symbol.type.at_edges ? CollectionPlace::edges : CollectionPlace::nodes;
    else if (held.is(CollectionShape::many))
      use.place = CollectionPlace::listed;
    use.kind = one.is(CollectionShape::set)     ? CollectionKind::set
               : one.is(CollectionShape::order) ? CollectionKind::order
                                                : CollectionKind::sequence;
    use.graph = number_of(procedure, symbol.type.graph);
    use.value_graph = number_of(procedure, one.graph);
  }
  use.input = symbol.argument;
  use.result = symbol.result || (symbol.argument && effects.writes(id));
  return use;
}

Procedure description_of(const ir::Procedure& procedure, const Source& source) {
  // The folder is omitted, so that the same program in another folder gives the same C++.
  Procedure description{.name = procedure.name,
                        .source = std::filesystem::path(source.name).filename().string(),
                        .arguments = {},
                        .arrays = {}};
  const auto add = [&](ir::SymbolId id, bool output) {
    const Type& type = procedure[id].type;
    description.arguments.push_back(
        {procedure[id].name, value_of(type), output, number_of(procedure, type.graph)});
  };
  for (const ir::SymbolId id : procedure.arguments) add(id, false);
  for (const ir::SymbolId id : procedure.outputs) add(id, true);
  const ir::Effects effects = ir::effects_of(procedure.body);
  for (const ir::SymbolId id : procedure.collections)
    description.collections.push_back(collection_use(procedure, id, effects));
  description.graphs.clear();
  for (const ir::SymbolId id : procedure.graphs) description.graphs.push_back(procedure[id].name);
  if (procedure.returns) {
    description.returns = value_of(*procedure.returns);
    description.returned_graph = number_of(procedure, procedure.returns->graph);
  }
  return description;
}

}  // namespace

CompiledProcedure compile(std::string_view text, std::string_view file_name,
                          const CompileOptions& options) {
  const Source source{std::string(file_name), std::string(text)};
  Diagnostics diagnostics(source);
  const ast::Module module = parse(diagnostics);
  throw_if_failed(diagnostics, {});
  check_names(module, diagnostics);
  const ast::Procedure& entry = chosen(module, file_name, options);
  // Checks every procedure. Conflicts are reported only if no procedure has type errors.
  std::vector<ir::Procedure> lowered;
  lowered.reserve(module.procedures.size());
  for (const ast::Procedure& one : module.procedures)
    lowered.push_back(lower(module, one, diagnostics, {.foreign = options.foreign}));
  if (!diagnostics.failed())
    for (const ir::Procedure& one : lowered) check_races(one, diagnostics);
  throw_if_failed(diagnostics, options);
  ir::Procedure procedure =
      std::move(lowered[static_cast<std::size_t>(&entry - module.procedures.data())]);

  CompiledProcedure program{.source = source.name,
                            .procedure = description_of(procedure, source),
                            .declared = {},
                            .cpp = {},
                            .warnings = diagnostics.sorted(),
                            .function = {}};
  // Determined before the passes, which change the way in which a property is written.
  const std::set<ir::SymbolId> needed = ir::needed_inputs(procedure);
  for (const Pass& pass : declaring_passes()) pass.run(procedure);
  program.declared = analyse(procedure, needed);
  for (const Pass& pass : optimising_passes()) pass.run(procedure);
  program.procedure.arrays = analyse(procedure, needed);
  program.cpp = emit(procedure, program.procedure);
  program.function = emit_part(procedure, program.procedure);
  program.function_name = cpp_name(procedure.name);
  return program;
}

std::vector<std::string> offered_procedures(std::string_view text, std::string_view file_name) {
  const Source source{std::string(file_name), std::string(text)};
  Diagnostics diagnostics(source);
  std::vector<std::string> names;
  for (const ast::Procedure& procedure : parse(diagnostics).procedures)
    if (!procedure.local) names.push_back(procedure.name.text);
  return names;
}

}  // namespace Atoll::greenmarl
