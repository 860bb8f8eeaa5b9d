// What a run and a dry run have in common: the call is checked, layouts are decided, a report is
// printed.
#pragma once

#include <cstdint>
#include <functional>
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

/// --csv: the file of all results of one graph's nodes, or of its edges.
struct TableFile {
  std::uint32_t graph = 0;
  bool edges = false;
  std::string path;
};

/// Arguments, files and options of a call, as far as they do not depend on the graph.
struct CallFiles {
  std::vector<std::pair<const Argument*, std::string>> arguments;  ///< and their texts
  std::vector<std::string> graphs;  ///< the files of the procedure's graphs
  std::vector<NamedFile> loads, saves;
  std::vector<TableFile> tables;
};

/// A checked call.
struct Call : CallFiles {
  Machine machine;
  ThreadPlaces places;
};

/// "it takes e, d, max"
[[nodiscard]] std::string signature(const Procedure& procedure);

/// A line for each input and result, with its type and the option that it goes with.
[[nodiscard]] std::string inputs_and_results(const Procedure& procedure);

/// The places of the run's threads. Throws Error (input) for so many that it must be a mistake.
[[nodiscard]] ThreadPlaces places_on(const Machine& machine, const RunOptions& options);

/// Paths of the files that the call writes.
[[nodiscard]] std::vector<std::string> outputs_of(const CallFiles& call);

/// Throws Error (input) for what the procedure can't have, and for outputs that are inputs too.
[[nodiscard]] CallFiles read_files(const Procedure& procedure, const RunOptions& options);
/// Throws Error (input) for what the procedure or the machine can't have.
[[nodiscard]] Call read_call(const Procedure& procedure, const RunOptions& options);

/// Throws Error (input) if a run is asked to be on another machine.
void refuse_machine(const RunOptions& options);
/// Throws Error (input) for a call that a run would refuse, as far as this shows before graphs are
/// loaded: it is for who compiles the program first.
void check_call(const Procedure& procedure, const RunOptions& options);
/// Throws Error (input) unless each input that the procedure needs is loaded, or is one of which
/// has_values(use) is true: its graph has the values.
void check_needed(const Procedure& procedure, const CallFiles& call,
                  const std::function<bool(const ArrayUse&)>& has_values);

/// The arguments' values; nodes are looked up in the graph. Throws Error (input) for one that it
/// hasn't got.
[[nodiscard]] std::vector<std::pair<std::string, Scalar>> values_of(
    const Call& call, const std::vector<Names>& names);

/// Throws Error (input) if a node can't be in a graph of its size. Labels aren't looked at.
void check_nodes(const CallFiles& call, const std::vector<graph::GraphSize>& sizes);

/// Returns a report of decided arrays. The report points to `procedure` and `call`.
[[nodiscard]] RunReport decided_report(const Procedure& procedure, const Call& call,
                                       const RunOptions& options,
                                       const std::vector<graph::GraphSize>& sizes);

/// Prints as `options` say.
void print(const RunReport& report, const RunOptions& options);

}  // namespace Atoll::program
