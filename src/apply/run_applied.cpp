#include "apply/run_applied.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "apply/kmaf.hpp"
#include "apply/memory_policy.hpp"
#include "apply/plan_report.hpp"
#include "apply/plan_server.hpp"
#include "apply/plan_table.hpp"
#include "atoll/base/error.hpp"
#include "atoll/base/log.hpp"
#include "atoll/machine/thread_places.hpp"
#include "process/child.hpp"
#include "process/libraries.hpp"
#include "process/sanitizers.hpp"

namespace Atoll::apply {
namespace {

constexpr std::string_view kBalancing = "/proc/sys/kernel/numa_balancing";

int run(const process::Launch& launch) {
  process::Child child(launch);
  while (!child.wait(60'000)) {
  }
  return child.status();
}

int run_preloaded(const std::vector<std::string>& command, const PlanServer& server) {
  return run({.command = command,
              .environment = {{inside::kVariable, server.path()},
                              {"LD_PRELOAD", process::preloadable(process::libraries_folder(),
                                                                  "libatoll-place.so")}}});
}

/// Returns the policy for all memory that the plan doesn't mention; empty means the default.
std::optional<MemoryPolicy> policy_of_rest(const ProgramPlan& plan, const Machine& machine) {
  if (!plan.rest || std::holds_alternative<Partitioned>(plan.rest->where))
    return std::nullopt;  // each thread's own memory: first touch places it
  std::vector<NodeId> nodes = named_nodes(*plan.rest);
  std::erase_if(nodes, [&](NodeId node) { return !machine.has_memory(node); });
  if (nodes.empty()) return std::nullopt;
  return std::optional<MemoryPolicy>(std::in_place,
                                     std::get_if<SingleNode>(&plan.rest->where)
                                         ? MemoryPolicy::Kind::prefer
                                         : MemoryPolicy::Kind::interleave,
                                     nodes);
}

bool one_node(const Machine& machine) {
  return machine.memories().size() == 1;
}

int run_as_system(const std::vector<std::string>& command) {
  return run({.command = command, .environment = {}});
}

int run_compact(const std::vector<std::string>& command) {
  process::refuse_sanitizer(command.at(0));
  const Machine machine = Machine::this_computer();
  const auto all = static_cast<int>(machine.processors().size());
  std::vector<int> units;
  for (const ThreadPlace& place : compact_places(machine, all)) units.push_back(place.pu);
  const ProgramPlan nothing;
  const PlanServer server(nothing, table_of_units(units, machine));
  const int status = run_preloaded(command, server);
  if (server.header().processes == 0)
    note("the program's threads weren't bound: it is static, or has privileges of its own");
  return status;
}

int run_interleaved(const std::vector<std::string>& command) {
  const Machine machine = Machine::this_computer();
  if (one_node(machine)) note("interleaving changes nothing: this computer has one memory node");
  std::vector<NodeId> nodes;
  for (const MemoryNode& memory : machine.memories()) nodes.push_back(memory.id);
  const MemoryPolicy policy(MemoryPolicy::Kind::interleave, nodes);
  return run({.command = command, .environment = {}});
}

int run_balanced(const std::vector<std::string>& command) {
  if (one_node(Machine::this_computer())) {
    note("NUMA balancing changes nothing: this computer has one memory node");
  } else {
    int mode = 0;
    if (!(std::ifstream(std::string(kBalancing)) >> mode))
      throw Error::failed(kBalancing, "this kernel has no NUMA balancing",
                          "take --policy interleave, or a plan");
    if (mode == 0)
      throw Error::failed(kBalancing, "NUMA balancing is off",
                          "switch it on, as root: sysctl kernel.numa_balancing=1");
  }
  // NUMA balancing moves no pages of a process with another policy.
  const MemoryPolicy policy(MemoryPolicy::Kind::system, {});
  return run({.command = command, .environment = {}});
}

constexpr std::array kPolicies{
    RunPolicy{"os", "as the system does: a page lies where it is touched first", run_as_system},
    RunPolicy{"compact", "threads bound in order of their creation, neighbours together",
              run_compact},
    RunPolicy{"interleave", "pages in turn over all memory nodes", run_interleaved},
    RunPolicy{"numa-balancing", "the kernel moves pages to the threads that use them",
              run_balanced},
    RunPolicy{"kmaf", "pages move to who uses them most, threads to who shares theirs",
              run_with_kmaf},
};

}  // namespace

int run_with_plan(const ProgramPlan& plan, std::string_view where,
                  const std::vector<std::string>& command, PlanUse* use) {
  process::refuse_sanitizer(command.at(0));
  const Machine machine = Machine::this_computer();
  if (const auto missing = missing_nodes(plan, machine); !missing.empty())
    note(
        fmt::format("{}: this computer has no node {}; what is planned there is left to the system",
                    where, to_string(missing)));
  if (one_node(machine))
    note(fmt::format("{}: this computer has one memory node: where data lies can't matter", where));
  PlanServer server(plan, table_of_plan(plan, machine));
  const auto policy = policy_of_rest(plan, machine);
  const int status = run_preloaded(command, server);
  server.stop();
  print_to_stderr(report_of_plan(plan, where, server));
  if (use != nullptr) *use = use_of_plan(plan, server);
  return status;
}

std::span<const RunPolicy> run_policies() {
  return kPolicies;
}

}  // namespace Atoll::apply
