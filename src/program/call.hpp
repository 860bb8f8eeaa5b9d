// What a run and a dry run have in common: the call is checked, layouts are decided, a report is
// printed.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "atoll/base/atomic_file.hpp"
#include "atoll/program/program.hpp"
#include "program/names.hpp"
#include "program/report.hpp"

namespace Atoll::program {

/// The file of an input or a result.
struct NamedFile {
  std::string name;
  std::string path;
};

/// A checked call, as far as it doesn't depend on the graph.
struct Call {
  Machine machine;
  ThreadPlaces places;
  std::vector<std::pair<const Argument*, std::string>> arguments;  ///< and their texts
  std::vector<NamedFile> loads, saves;
  std::string nodes_csv, edges_csv;  ///< files, or ""
};

/// "it takes e, d, max"
[[nodiscard]] std::string signature(const Procedure& procedure);

/// A line for each input and result, with its type and the option that it goes with.
[[nodiscard]] std::string inputs_and_results(const Procedure& procedure);

/// Throws Error (input) for what the procedure or the machine can't have.
[[nodiscard]] Call read_call(const Procedure& procedure, const RunOptions& options);

/// The arguments' values; nodes are looked up in the graph. Throws Error (input) for one that it
/// hasn't got.
[[nodiscard]] std::vector<std::pair<std::string, Scalar>> values_of(const Call& call,
                                                                    const Names& names);

/// Throws Error (input) if a node can't be in a graph of this size. Labels aren't looked at.
void check_nodes(const Call& call, const graph::GraphSize& size);

/// Returns a report of decided arrays. The report points to `procedure` and `call`.
[[nodiscard]] RunReport decided_report(const Procedure& procedure, const Call& call,
                                       const RunOptions& options, const graph::GraphSize& size);

/// Prints as `options` say.
void print(const RunReport& report, const RunOptions& options);

}  // namespace Atoll::program
