// Runs a compiled procedure on a small graph, with the description of a machine of several nodes.
#pragma once

#include "atoll/program/program.hpp"
#include "interpreter.hpp"

namespace Atoll::greenmarl::oracle {

enum class Placed : std::uint8_t { replicated, partitioned, distributed };

/// Layout of the arrays, and number of threads.
struct Setting {
  Placed placed = Placed::replicated;
  int threads = 1;
  bool wide = false;  ///< 64-bit ids
};

[[nodiscard]] std::string to_string(const Setting& setting);

/// Throws the exceptions of the program.
[[nodiscard]] Outputs run_compiled(const Procedure& procedure, const program::Entry& entry,
                                   const std::vector<Graph>& graphs, const Inputs& inputs,
                                   const Setting& setting);

/// Returns the first difference; empty if there is none. Outputs that the compiled procedure
/// doesn't have aren't compared.
[[nodiscard]] std::string difference(const Outputs& expected, const Outputs& got);

}  // namespace Atoll::greenmarl::oracle
