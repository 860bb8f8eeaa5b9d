// Invariants of every run, for any program and machine. If a run violates one, its figures are
// wrong and no result is shown.
#pragma once

#include <string>
#include <vector>

#include "simulate/engine.hpp"

namespace Atoll::simulate {

/// Returns the violated invariants with their figures; empty if all hold. `result` is the engine's
/// result.
[[nodiscard]] std::vector<std::string> violated_invariants(const Engine& engine,
                                                           const Timing& timing,
                                                           const EngineResult& result);
/// Throws Error (failed) if an invariant is violated.
void check_invariants(const Engine& engine, const Timing& timing, const EngineResult& result);

}  // namespace Atoll::simulate
