#include "cli/scheduled_threads.hpp"

#include <fmt/format.h>

#include "atoll/base/atomic_file.hpp"
#include "atoll/base/error.hpp"
#include "atoll/graph/metis.hpp"
#include "atoll/plan/affinity_graph_text.hpp"
#include "atoll/plan/program_plan.hpp"
#include "cli/profile_text.hpp"
#include "profile/schedule_threads.hpp"

namespace Atoll::cli {

void add_kernel_threads(options::Command verb, RecordedOptions& options) {
  verb.add_flag("--kernel-threads", options.kernel_threads,
                "Map the program's own threads instead of tasks: writes a plan");
}

void refuse(const options::Option& option, const char* why) {
  if (option.is_given()) throw Error::input(option.name(), why, "leave it out");
}

void refuse_options_of_tasks(const options::Command verb) {
  for (const char* const name : {"--loop", "--threads", "--seed", "--location", "--dense-ratio",
                                 "--max-sharers", "--lines-of-task", "--write-weight"})
    refuse(verb.option(name), "is for tasks: here the vertices are the program's own threads");
}

void schedule_threads_of(const profile::Profile& profile, const Machine& machine,
                         const RecordedOptions& options) {
  const AffinityGraph graph = profile::thread_graph(profile);
  AtomicFiles together;
  if (!options.dot.empty()) write_dot(graph, options.dot);
  if (!options.metis.empty()) graph::write_metis_graph(graph, options.metis);
  if (options.output.empty()) return together.commit();
  const profile::ScheduledThreads scheduled = profile::schedule_threads(profile, machine);
  AtomicFile file(options.output);
  file.write(to_json(scheduled.plan) + "\n");
  file.commit();
  together.commit();
  if (options.json) {
    fmt::print("{}\n", to_json(scheduled.plan));
    return;
  }
  fmt::print("{}: {}, of which {} communicate\n", options.output,
             counted(scheduled.plan.threads.size(), "thread"), counted(graph.edges(), "pair"));
  fmt::print("  {}\n\nnext\n  {}\n", scheduled.outcome,
             command_to_run(options.output, scheduled.plan.command));
}

}  // namespace Atoll::cli
