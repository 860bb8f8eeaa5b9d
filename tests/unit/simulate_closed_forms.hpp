// Small programs whose time is given by a formula. Shared by the tests and the benchmark suite
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

/// Runs all of them; takes a few seconds.
[[nodiscard]] std::vector<ClosedForm> closed_forms();

/// Returns the mean wait at a controller for random arrivals with constant service time: M/D/1.
[[nodiscard]] std::vector<ClosedForm> queue_forms();

}  // namespace Atoll::simulate
