#include "atoll/simulate/simulate.hpp"

#include <fmt/format.h>

#include "atoll/base/error.hpp"
#include "simulate/engine.hpp"
#include "simulate/interruption.hpp"
#include "simulate/invariants.hpp"
#include "simulate/model.hpp"
#include "simulate/recorded_program.hpp"
#include "simulate/result_of.hpp"

namespace Atoll::simulate {
namespace {

void add_assumptions(Result& result, const RecordedProgram& program, const Options& options) {
  add_missing_assumptions(result, program.recording().contents, "the trace");
  if (program.threads().size() > 1 && !program.has_waits())
    result.assumed.push_back(
        "threads wait for each other only where one is joined: the trace has no locks and barriers "
        "(atoll trace --timed)");
  add_system_assumptions(result, options);
}

}  // namespace

Result simulate_trace(const std::string& path, const Machine& machine, const Options& options) {
  const Model model = model_of(machine);
  RecordedProgram program(path, machine, model, options);
  const Timing timing = timing_of(machine, figures_of(machine));
  Pages pages(model.memory_of_node, model.shape.line_bits);
  const std::vector<VariableFigure> knobs = knobs_of(machine);
  Windows windows(1, replays_of(knobs));
  Engine::Options how;
  how.threads = program.threads();
  how.hw_threads = program.hw_threads();
  how.timed_from_start = !options.only_between_marks && options.iterations == 0;
  if (options.interval) how.windows = &windows;
  how.stops = Interruption::has_come;
  const Interruption interruption;
  Engine engine(model.shape, timing, pages, program, how);
  const EngineResult run = engine.run();
  check_invariants(engine, timing, run);

  Result result = result_of(machine, model, engine, run, pages, program.recording());
  result.threads = program.threads_at_a_time();
  result.nodes_of_threads = program.nodes_of_threads();
  if (options.interval && run.accesses > 0)
    add_interval_if_not_interrupted(result, machine, model.shape, pages, windows, engine, knobs);
  if (run.was_stopped)
    result.assumed.emplace_back("a signal ended the simulation: the rest of the trace is left out");
  add_assumptions(result, program, options);
  if (run.cut_waits > 0)
    result.assumed.push_back(
        fmt::format("{} waits had no end in the trace: these threads went on when no other could",
                    run.cut_waits));
  if (const PlanMatcher* const planned = program.planned(); planned != nullptr)
    for (const std::string& line : planned->missing())
      result.assumed.push_back("the plan: " + line);
  if (program.placement().has_spilled())
    result.assumed.push_back("a memory was full: further pages went to the next one");
  return result;
}

}  // namespace Atoll::simulate
