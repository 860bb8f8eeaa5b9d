// Options for running a graph program, the same for `atoll run PROG.gm` and for the compiled
// program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/options/command.hpp"
#include "atoll/plan/choose_layouts.hpp"

namespace Atoll::program {

/// Has one member for each option of `atoll run`.
struct RunOptions {
  /// files in any format of graph::load: FILE for the next graph, or NAME=FILE
  std::vector<std::string> graphs;
  std::vector<std::string> arguments;  ///< NAME=VALUE
  std::vector<std::string> load;       ///< NAME=FILE: reads an input from a file
  std::vector<std::string> save;       ///< NAME=FILE: writes a result to a file
  std::vector<std::string> csv;  ///< FILE, nodes=FILE or edges=FILE: writes a table of results
  LayoutKind layout = LayoutKind::automatic;
  LayoutPolicy policy = LayoutPolicy::cost;
  std::string pages = "auto";     ///< 4k, 2m, 2m-pool, 1g or auto
  std::string memory = "system";  ///< backend: system, linux or portable
  std::string machine;            ///< target machine for dry_run
  int threads = 0;                ///< 0 means one for each core
  bool oversubscribe = false;     ///< permits more than 4 threads per processing unit
  std::uint64_t seed = 1;         ///< seed for random numbers
  int top = 10;                   ///< number of rows of results to print
  std::string by;                 ///< result that rows are ordered by; "" means the first
  bool ascending = false;         ///< prints the lowest values instead of the highest
  std::optional<double> time_limit_seconds;
  bool dry_run = false;
  bool json = false;
};

/// Adds the option --machine M.
options::Option add_machine_option(options::Command app, std::string& machine,
                                   const std::string& help);

/// Adds all options of RunOptions to `app`, with help texts.
void add_run_options(options::Command app, RunOptions& options);

}  // namespace Atoll::program
