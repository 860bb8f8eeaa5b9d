// Common parts of a run and a dry run: checking the call, deciding layouts and printing the report.
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

/// A value of --csv: the file for all results of one graph's nodes or edges.
struct TableFile {
  std::uint32_t graph = 0;
  bool edges = false;
  std::string path;
};

/// Arguments, files and options of a call that don't depend on the graph's contents.
struct CallFiles {
  std::vector<std::pair<const Argument*, std::string>> arguments;  ///< with their values as text
  std::vector<std::string> graphs;  ///< files of the procedure's graphs
  std::vector<NamedFile> loads, saves;
  std::vector<TableFile> tables;
};

/// A call that was checked, with its machine and threads.
struct Call : CallFiles {
  Machine machine;
  ThreadPlaces places;
};

/// Returns text such as "it takes e, d, max".
[[nodiscard]] std::string signature(const Procedure& procedure);

/// Returns a line for each input and result, with its type and its option.
[[nodiscard]] std::string inputs_and_results(const Procedure& procedure);

/// Returns the places of the run's threads. Throws Error (input) for an implausible number.
[[nodiscard]] ThreadPlaces places_on(const Machine& machine, const RunOptions& options);

/// Returns the paths of the files that the call writes.
[[nodiscard]] std::vector<std::string> outputs_of(const CallFiles& call);

/// Throws Error (input) for options that the procedure can't have, and for outputs that are also
/// inputs.
[[nodiscard]] CallFiles read_files(const Procedure& procedure, const RunOptions& options);
/// Throws Error (input) for options that the procedure or the machine can't have.
[[nodiscard]] Call read_call(const Procedure& procedure, const RunOptions& options);

/// Throws Error (input) if options request a run on another machine.
void refuse_machine(const RunOptions& options);
/// Throws Error (input) for a call that a run would refuse before it loads graphs. Called before
/// the program is compiled.
void check_call(const Procedure& procedure, const RunOptions& options);
/// Throws Error (input) unless, for each input that the procedure needs, a file is loaded or
/// has_values(use) is true, so the graph itself has the values.
void check_needed(const Procedure& procedure, const CallFiles& call,
                  const std::function<bool(const ArrayUse&)>& has_values);

/// Returns the arguments' values. Nodes are looked up in the graph; throws Error (input) if one
/// doesn't exist.
[[nodiscard]] std::vector<std::pair<std::string, Scalar>> values_of(
    const Call& call, const std::vector<Names>& names);

/// Throws Error (input) if a node's number exceeds the graph's size. Ignores labels.
void check_nodes(const CallFiles& call, const std::vector<graph::GraphSize>& sizes);

/// Returns a report of the decided arrays, which points to `procedure` and `call`.
[[nodiscard]] RunReport decided_report(const Procedure& procedure, const Call& call,
                                       const RunOptions& options,
                                       const std::vector<graph::GraphSize>& sizes);

/// Prints the report in the format of `options`.
void print(const RunReport& report, const RunOptions& options);

}  // namespace Atoll::program
