// Defines the options of a run with CLI11.
#include "atoll/program/options.hpp"

#include <limits>
#include <map>

#include "atoll/options/checks.hpp"

namespace Atoll::program {

options::Option add_machine_option(options::Command app, std::string& machine,
                                   const std::string& help) {
  return app.add_option("--machine", machine, help).type_name("M");
}

void add_run_options(options::Command app, RunOptions& options) {
  static const std::map<std::string, LayoutKind> layouts{{"auto", LayoutKind::automatic},
                                                         {"single", LayoutKind::single},
                                                         {"distributed", LayoutKind::distributed},
                                                         {"partitioned", LayoutKind::partitioned},
                                                         {"replicated", LayoutKind::replicated}};
  static const std::map<std::string, LayoutPolicy> policies{{"cost", LayoutPolicy::cost},
                                                            {"shoal", LayoutPolicy::shoal}};
  app.add_option("--graph", options.graphs,
                 "Graph to run on: edge list, Matrix Market or binary; for a procedure\n"
                 "of several, repeat it in their order, or write NAME=FILE")
      .required()
      .type_name("FILE")
      .take_all();
  app.add_option("--arg", options.arguments, "A scalar argument of the procedure; repeat for each")
      .type_name("NAME=VALUE")
      .take_all();
  app.add_option("--load", options.load,
                 "Read an input from a file: 'label value' for each node;\n"
                 "*.csv has columns with names, *.bin plain elements")
      .type_name("NAME=FILE")
      .take_all();
  app.add_option("--save", options.save, "Write a result to a file, as --load reads it")
      .type_name("NAME=FILE")
      .take_all();
  app.add_option("--seed", options.seed, "Another seed, other random numbers (1)")
      .check(value::count(0))
      .type_name("S");
  app.add_option("--top", options.top, "How many rows of results to print (10)")
      .check(value::count(0, std::numeric_limits<int>::max()))
      .type_name("N");
  app.add_option("--order-by,--by", options.by, "Order rows by this result (the first)")
      .type_name("NAME");
  app.add_flag("--ascending", options.ascending, "Print the lowest values, not the highest");
  app.add_option("--csv", options.csv,
                 "Write all results as one table: FILE, or nodes=FILE and\n"
                 "edges=FILE")
      .type_name("FILE")
      .take_all();
  app.add_option("--time-limit", options.time_limit_seconds,
                 "End the run after so many seconds, with exit code 124")
      .check(value::positive(1e9))  // 30 years
      .type_name("SECONDS");
  app.add_option_function<std::string>(
         "--layout", [&](const std::string& name) { options.layout = layouts.at(name); },
         "auto (default): as the policy chooses; or single, distributed, partitioned,\n"
         "replicated for every array that can have it")
      .check(value::one_of(layouts))
      .type_name("KIND");
  app.add_option_function<std::string>(
         "--layout-policy,--policy",
         [&](const std::string& name) { options.policy = policies.at(name); },
         "cost (default): least estimated time; shoal: the paper's rules")
      .check(value::one_of(policies))
      .type_name("NAME");
  app.add_option("--pages", options.pages,
                 "auto (default), 4k, 2m (transparent), or from the system's pool of pages\n"
                 "set aside (hugetlb): 2m-pool, 1g")
      .check(value::one_of({"auto", "4k", "2m", "2m-pool", "1g"}))
      .type_name("SIZE");
  app.add_option("--backend,--memory", options.memory,
                 "system (default), linux, or portable: without NUMA calls")
      .check(value::one_of({"system", "linux", "portable"}))
      .type_name("BACKEND");
  app.add_option("--threads", options.threads, "Threads (one for each core)")
      .check(value::count(1, std::numeric_limits<int>::max()))
      .type_name("N");
  app.add_flag("--oversubscribe", options.oversubscribe,
               "Allow more than 4 threads for each processing unit");
  app.add_flag("--dry-run", options.dry_run,
               "Decide layouts, print them, and stop: without a C++\n"
               "compiler, and of a graph file only the head is read");
  add_machine_option(app, options.machine,
                     "With --dry-run: decide for this machine (a preset, a machine file, hwloc\n"
                     "XML or a synthetic description; see 'atoll machine --help')");
  app.add_flag("--json", options.json, "Print one JSON object");
}

}  // namespace Atoll::program
