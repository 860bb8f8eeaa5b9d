// What has come out of a run, as the result that is printed.
#pragma once

#include <string>
#include <vector>

#include "atoll/simulate/simulate.hpp"
#include "atoll/trace/recording.hpp"
#include "simulate/engine.hpp"
#include "simulate/model.hpp"
#include "simulate/windows.hpp"

namespace Atoll::simulate {

/// All but who ran and what was assumed of the program. `run.objects`: by the recording's objects,
/// and one more for memory without a record.
[[nodiscard]] Result result_of(const Machine& machine, const Model& model, const Engine& engine,
                               const EngineResult& run, const Pages& pages,
                               const trace::Recording& recording);
/// Adds to what was assumed what timed streams lack; `source` is "the trace".
void tell_missing(Result& result, const trace::StreamContents& contents, const std::string& source);
/// Adds to it what is taken of every system.
void tell_system(Result& result, const Options& options);
/// How often tell_interval() times the windows.
[[nodiscard]] std::uint64_t replays_of(const std::vector<Knob>& knobs);
/// Adds the interval, from windows of the run of `engine`, which was on a machine of that shape.
/// Page tables that it reads first are added to the pages. If a signal comes (Interruption), leaves
/// the interval out.
void tell_interval(Result& result, const Machine& machine, const Shape& shape, Pages& pages,
                   Windows& windows, const Engine& engine, const std::vector<Knob>& knobs);

}  // namespace Atoll::simulate
