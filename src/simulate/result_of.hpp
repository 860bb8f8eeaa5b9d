// Conversion of an engine's result to the printed result.
#pragma once

#include <string>
#include <vector>

#include "atoll/recording/recording.hpp"
#include "atoll/simulate/simulate.hpp"
#include "simulate/engine.hpp"
#include "simulate/model.hpp"
#include "simulate/windows.hpp"

namespace Atoll::simulate {

/// Fills in all members except the threads and the program's part of `assumed`. `run.objects` has
/// an entry for each object of the recording and one more for memory without a record.
[[nodiscard]] Result result_of(const Machine& machine, const Model& model, const Engine& engine,
                               const EngineResult& run, const Pages& pages,
                               const recording::Recording& recording);
/// Appends assumptions for what timed streams lack to `assumed`; `source` is e.g. "the trace".
void add_missing_assumptions(Result& result, const recording::StreamContents& contents,
                             const std::string& source);
/// Appends the assumptions that hold for every system.
void add_system_assumptions(Result& result, const Options& options);
/// Number of times that add_interval_if_not_interrupted() times the windows.
[[nodiscard]] std::uint64_t replays_of(const std::vector<VariableFigure>& knobs);
/// Computes the interval, from windows of the run of `engine`, whose machine has that shape. Adds
/// page tables that it reads first to `pages`. If a signal arrives (Interruption), leaves the
/// interval out.
void add_interval_if_not_interrupted(Result& result, const Machine& machine, const Shape& shape,
                                     Pages& pages, Windows& windows, const Engine& engine,
                                     const std::vector<VariableFigure>& knobs);

}  // namespace Atoll::simulate
