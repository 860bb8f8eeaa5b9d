// Decides without running: of a graph file the head is enough.
#include <algorithm>
#include <thread>

#include "program/call.hpp"

namespace Atoll::program {

void dry_run(const Procedure& procedure, const RunOptions& options) {
  const Call call = read_call(procedure, options);
  // The machine may be another one: this machine's threads read a text, unpinned.
  const Team team(ThreadPlaces(std::max(1U, std::thread::hardware_concurrency())),
                  Team::Runtime::openmp, false);
  const graph::GraphSize size =
      procedure.graph ? graph::size_of(options.graph, team) : graph::GraphSize{};
  check_nodes(call, size);
  print(decided_report(procedure, call, options, size), options);
}

}  // namespace Atoll::program
