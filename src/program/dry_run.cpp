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
  std::vector<graph::GraphSize> sizes;
  sizes.reserve(call.graphs.size());
  for (const std::string& file : call.graphs) sizes.push_back(graph::size_of(file, team));
  check_nodes(call, sizes);
  print(decided_report(procedure, call, options, sizes), options);
}

}  // namespace Atoll::program
