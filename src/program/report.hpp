// A run's report: a value that the run fills, printed as text or as JSON.
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
  std::vector<std::string> graphs;        ///< files of the graphs
  std::vector<graph::GraphSize> sizes{};  ///< sizes of these graphs
  const Machine* machine = nullptr;
  const ThreadPlaces* places = nullptr;
  std::string policy;
  bool dry_run = false;
  std::vector<ArrayReport> arrays;

  double load_seconds = 0;   ///< time to load the graph and the inputs from files
  double place_seconds = 0;  ///< time to allocate and fill the arrays
  double run_seconds = 0;    ///< time to run the procedure
  std::vector<std::pair<std::string, std::uint64_t>> trip_counts;
  std::optional<Value> returned;
  std::vector<std::pair<std::string, Value>> outputs;  ///< scalar results
  std::vector<ResultTable> tables;                     ///< one for each kind: nodes, edges
  std::vector<ResultReport> results;                   ///< one for each property
  std::vector<CollectionReport> collections;
  std::uint64_t peak_rss_bytes = 0;
};

[[nodiscard]] std::string to_text(const RunReport& report);
[[nodiscard]] std::string to_json(const RunReport& report);

}  // namespace Atoll::program
