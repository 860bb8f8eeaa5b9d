// Runs a compiled procedure on a small graph, on a machine of several nodes that isn't here.
#pragma once

#include "atoll/program/program.hpp"
#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

enum class Placed : std::uint8_t { replicated, partitioned, distributed };

/// How the arrays are placed, and by how many threads they are used.
struct Setting {
  Placed placed = Placed::replicated;
  int threads = 1;
  bool wide = false;  ///< ids have 64 bits
};

[[nodiscard]] std::string to_string(const Setting& setting);

/// Throws what the program throws.
[[nodiscard]] Outputs run_compiled(const Procedure& procedure, const program::Entry& entry,
                                   const std::vector<Graph>& graphs, const Inputs& inputs,
                                   const Setting& setting);

/// "" if they are the same, else the first difference. What the compiled procedure doesn't give
/// isn't compared.
[[nodiscard]] std::string difference(const Outputs& expected, const Outputs& got);

}  // namespace Atoll::greenmarl::oracle
