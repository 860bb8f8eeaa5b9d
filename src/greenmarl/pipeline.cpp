// The compiler's table of contents: a program goes through these steps, in this order.
#include "greenmarl/pipeline.hpp"

#include <array>
#include <filesystem>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/analyse.hpp"
#include "greenmarl/check_races.hpp"
#include "greenmarl/emit.hpp"
#include "greenmarl/lower.hpp"
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
      {"materialise_gathers", materialise_gathers},  // may leave p read at its own node only, …
      {"drop_second_arrays", drop_second_arrays},    // … so that p_nxt is not needed
      {"swap_second_arrays", swap_second_arrays},    // where it is needed, it is not copied
      {"fuse_loops", fuse_loops},
      {"recognise_fills", recognise_fills},
      {"hoist_invariants", hoist_invariants},
      {"privatise_reductions", privatise_reductions},
      {"count_trips", count_trips},
  });
  return passes;
}

Program compile(std::string_view text, std::string_view file_name) {
  const Source source{std::string(file_name), std::string(text)};
  ir::Procedure procedure = lower(parse(source), source);
  check_races(procedure);

  // Without its folder, the same program elsewhere is the same C++.
  Program program{.source = source.name,
                  .procedure = {.name = procedure.name,
                                .source = std::filesystem::path(source.name).filename().string(),
                                .arguments = {},
                                .arrays = {}},
                  .declared = {},
                  .cpp = {}};
  for (const ir::SymbolId argument : procedure.arguments)
    program.procedure.arguments.push_back({procedure[argument].name, procedure[argument].type});
  for (const Pass& pass : declaring_passes()) pass.run(procedure);
  program.declared = analyse(procedure);
  for (const Pass& pass : optimising_passes()) pass.run(procedure);
  program.procedure.arrays = analyse(procedure);
  program.cpp = emit(procedure, program.procedure);
  return program;
}

}  // namespace Atoll::greenmarl
