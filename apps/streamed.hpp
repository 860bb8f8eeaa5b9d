// Statistics of a streamed run as JSON.
#pragma once

#include <fmt/format.h>

#include <atoll/base/json.hpp>
#include <atoll/stencil/program.hpp>

namespace app {

/// Adds the size of a program's fields to a result and, if they were streamed, "streamed".
inline void add_streamed(Atoll::Json& result, const Atoll::stencil::Program& program) {
  std::uint64_t bytes = 0;
  for (const auto& mesh : program.meshes())
    for (const auto& field : mesh->fields()) bytes += field->memory_bytes();
  result["field_bytes"] = bytes;
  const Atoll::stencil::StreamCounters counters = program.counters().streamed;
  if (counters.outer_tiles == 0) return;
  result["streamed"] = Atoll::Json{{"outer_tiles", counters.outer_tiles},
                                   {"slot_bytes", counters.slot_bytes},
                                   {"bytes_in", counters.bytes_in},
                                   {"bytes_out", counters.bytes_out},
                                   {"planned_bytes_in", counters.planned_bytes_in},
                                   {"planned_bytes_out", counters.planned_bytes_out},
                                   {"waited_seconds", counters.waited_seconds}};
}

/// Prints the predicted time of each of `points` points and steps, between two states of the
/// counters; as JSON if `json`.
inline void print_prediction(bool json, const Atoll::stencil::Program& program,
                             const Atoll::stencil::PredictedTimes& before, double points) {
  const Atoll::stencil::PredictedTimes after = program.counters().predicted;
  const double ns = 1e9 * (after.seconds - before.seconds) / points;
  const double baseline = 1e9 * (after.baseline_seconds - before.baseline_seconds) / points;
  if (!json) {
    fmt::print(
        "predicted: {:.3g} ns a point and step, {:.3g} with all fields in fast memory "
        "({:.0f} %)\n",
        ns, baseline, 100 * baseline / ns);
    return;
  }
  Atoll::Json result = Atoll::Json::object();
  add_streamed(result, program);
  result["predicted"] = Atoll::Json{{"ns_per_cell_step", ns},
                                    {"baseline_ns_per_cell_step", baseline},
                                    {"efficiency", baseline / ns}};
  fmt::print("{}\n", result.dump_sorted());
}

}  // namespace app
