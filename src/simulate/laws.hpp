// What holds of every run, whatever the program and the machine. A run that breaks one of these has
// wrong figures, so none is shown.
#pragma once

#include <string>
#include <vector>

#include "simulate/engine.hpp"

namespace Atoll::simulate {

/// The laws that the run broke, each with its figures; none: all hold. `result` is what the engine
/// returned.
[[nodiscard]] std::vector<std::string> broken_laws(const Engine& engine, const Timing& timing,
                                                   const EngineResult& result);
/// Throws Error (failed) if there is one.
void check_laws(const Engine& engine, const Timing& timing, const EngineResult& result);

}  // namespace Atoll::simulate
