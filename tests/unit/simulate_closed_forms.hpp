// Small programs whose time a formula tells. The tests and the benchmark suite `simulate` compare
// the same ones.
#pragma once

#include <string>
#include <vector>

namespace Atoll::simulate {

struct ClosedForm {
  std::string name;
  double simulated = 0, formula = 0;  ///< nanoseconds of one access
  std::string why_not;                ///< what else was wrong with the run; empty: nothing
};

/// Runs all of them: some seconds.
[[nodiscard]] std::vector<ClosedForm> closed_forms();

/// Mean wait at a controller of random arrivals, of fixed service: M/D/1.
[[nodiscard]] std::vector<ClosedForm> queue_forms();

}  // namespace Atoll::simulate
