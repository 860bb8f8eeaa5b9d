// Generates random Green-Marl programs that are valid and terminate. Their result doesn't depend on
// the order of a Foreach's iterations. Together they use every construct of the language except
// foreign text.
#pragma once

#include <cstdint>
#include <string>

#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

/// Returns the program for a seed. Its procedure is named `name`.
[[nodiscard]] std::string random_program(std::uint64_t seed, const std::string& name);

/// Returns a random graph. Kind 0 has no nodes. Kind 1 is tiny, with self-loops, parallel edges and
/// isolated nodes. Kind 2 is small. Kind 3 is so large that threads share a parallel loop.
[[nodiscard]] Graph random_graph(int kind);
inline constexpr int kGraphKinds = 4;

/// Returns as many graphs as the procedure has parameters for. The first graph is of this kind; the
/// others are empty only if it is.
[[nodiscard]] std::vector<Graph> random_graphs(const ast::Procedure& procedure, int kind);

/// Returns random inputs for a procedure on these graphs.
[[nodiscard]] Inputs random_inputs(const ast::Procedure& procedure,
                                   const std::vector<Graph>& graphs, std::uint64_t seed);

/// Returns true if the program has only one valid result on each small graph. It rarely has
/// several.
[[nodiscard]] bool has_one_answer(const ast::Module& module, std::uint64_t seed);

}  // namespace Atoll::greenmarl::oracle
