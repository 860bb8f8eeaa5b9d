// Makes random Green-Marl programs that are valid, end, and whose meaning fixes the answer: what
// the iterations of a Foreach do doesn't depend on their order. Together they use every construct
// of the language but foreign text.
#pragma once

#include <cstdint>
#include <string>

#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

/// The same seed gives the same program. Its procedure is called `name`.
[[nodiscard]] std::string random_program(std::uint64_t seed, const std::string& name);

/// A random graph; kind 0 has no nodes, 1 is tiny with self-loops, parallel edges and lone nodes,
/// 2 is small, 3 is large enough that a parallel loop is shared among threads.
[[nodiscard]] Graph random_graph(int kind);
inline constexpr int kGraphKinds = 4;

/// As many as the procedure takes, the first of this kind; the others may be empty where it isn't.
[[nodiscard]] std::vector<Graph> random_graphs(const ast::Procedure& procedure, int kind);

/// Random inputs for a procedure on these graphs.
[[nodiscard]] Inputs random_inputs(const ast::Procedure& procedure,
                                   const std::vector<Graph>& graphs, std::uint64_t seed);

/// True if the meaning fixes what the program answers on the small graphs; seldom it doesn't.
[[nodiscard]] bool has_one_answer(const ast::Module& module, std::uint64_t seed);

}  // namespace Atoll::greenmarl::oracle
