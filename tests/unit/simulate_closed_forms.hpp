// Small programs whose time is given by a formula. Used by the tests and by the benchmark suite
// `simulate`.
#pragma once

#include <string>
#include <vector>

namespace Atoll::simulate {

struct ClosedForm {
  std::string name;
  double simulated = 0, formula = 0;  ///< nanoseconds per access
  std::string why_not;                ///< other errors of the run; empty if none
};

/// Runs all programs. Takes a few seconds.
[[nodiscard]] std::vector<ClosedForm> closed_forms();

/// Compares the mean wait at a controller with the formula for M/D/1 (random arrivals, constant
/// service time).
[[nodiscard]] std::vector<ClosedForm> queue_forms();

}  // namespace Atoll::simulate
