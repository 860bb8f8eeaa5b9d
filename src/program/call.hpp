// What a run and a dry run have in common: the call is checked, layouts are decided, a report is
// printed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atoll/program/program.hpp"
#include "program/report.hpp"

namespace Atoll::program {

/// A checked call, as far as it doesn't depend on the graph.
struct Call {
  Machine machine;
  ThreadPlaces places;
  std::vector<std::pair<std::string, Scalar>> arguments;
  std::vector<std::pair<std::string, std::string>> saves;  ///< (property, file)
};

/// "it takes e, d, max"
[[nodiscard]] std::string signature(const Procedure& procedure);

/// Throws Error (input) for what the procedure or the machine can't have.
[[nodiscard]] Call read_call(const Procedure& procedure, const RunOptions& options);

/// Returns a report of decided arrays. Throws Error (input) if the graph has no such node as an
/// argument says. The report points to `procedure` and `call`.
[[nodiscard]] RunReport decided_report(const Procedure& procedure, const Call& call,
                                       const RunOptions& options, const graph::GraphSize& size);

/// Prints as `options` say.
void print(const RunReport& report, const RunOptions& options);

}  // namespace Atoll::program
