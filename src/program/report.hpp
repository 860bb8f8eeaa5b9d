// The report of a run: a value that the run fills, printed for people or as JSON.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "atoll/program/program.hpp"
#include "program/decide.hpp"
#include "program/results.hpp"

namespace Atoll::program {

struct ArrayReport {
  DecidedArray decided;
  std::vector<CopyWhereabouts> copies;  ///< empty after a dry run
};

struct RunReport {
  const Procedure* procedure = nullptr;
  std::vector<std::string> graphs;        ///< files
  std::vector<graph::GraphSize> sizes{};  ///< of these graphs
  const Machine* machine = nullptr;
  const ThreadPlaces* places = nullptr;
  std::string policy;
  bool dry_run = false;
  std::vector<ArrayReport> arrays;

  double load_seconds = 0;   ///< loading the graph and the inputs from their files
  double place_seconds = 0;  ///< allocating and filling the arrays
  double run_seconds = 0;    ///< running the procedure
  std::vector<std::pair<std::string, std::uint64_t>> trip_counts;
  std::optional<Value> returned;
  std::vector<std::pair<std::string, Value>> outputs;  ///< scalar results
  std::vector<ResultTable> tables;                     ///< of nodes, of edges
  std::vector<ResultReport> results;                   ///< each property on its own
  std::vector<CollectionReport> collections;
  std::uint64_t peak_rss_bytes = 0;
};

[[nodiscard]] std::string to_text(const RunReport& report);
[[nodiscard]] std::string to_json(const RunReport& report);

}  // namespace Atoll::program
