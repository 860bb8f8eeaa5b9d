// The options with which a graph program is run: the same for `atoll run PROG.gm` and for the
// compiled program itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "atoll/options/command.hpp"
#include "atoll/plan/choose_layouts.hpp"

namespace Atoll::program {

/// One member for each option of `atoll run`.
struct RunOptions {
  /// Files of any kind that graph::load reads: FILE for the next graph, or NAME=FILE.
  std::vector<std::string> graphs;
  std::vector<std::string> arguments;  ///< NAME=VALUE
  std::vector<std::string> load;       ///< NAME=FILE: fills an input
  std::vector<std::string> save;       ///< NAME=FILE: writes a result
  std::vector<std::string> csv;  ///< FILE, nodes=FILE or edges=FILE: writes a table of results
  LayoutKind layout = LayoutKind::automatic;
  Policy policy = Policy::cost;
  std::string pages = "auto";     ///< 4k, 2m, 2m-pool, 1g or auto
  std::string memory = "system";  ///< backend: system, linux or portable
  std::string machine;            ///< with dry_run: decide for this machine
  int threads = 0;                ///< 0: one for each core
  bool oversubscribe = false;     ///< more than 4 threads for each processing unit are allowed
  std::uint64_t seed = 1;         ///< of random numbers
  int top = 10;                   ///< how many rows of results are printed
  std::string by;                 ///< the result that rows are ordered by; "": the first
  bool ascending = false;         ///< the lowest values are printed
  std::optional<double> time_limit_seconds;
  bool dry_run = false;
  bool json = false;
};

/// Adds --machine M.
options::Option add_machine_option(options::Command app, std::string& machine,
                                   const std::string& help);

/// Adds all of these to `app`, with help.
void add_run_options(options::Command app, RunOptions& options);

}  // namespace Atoll::program
