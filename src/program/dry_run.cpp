// Decides layouts without running. Only a graph file's header is needed.
#include <algorithm>
#include <thread>

#include "program/call.hpp"

namespace Atoll::program {

void dry_run(const Procedure& procedure, const RunOptions& options) {
  const Call call = read_call(procedure, options);
  // The target machine may be another one, so this machine's threads read text files, unpinned.
  const Team team(ThreadPlaces(std::max(1U, std::thread::hardware_concurrency())),
                  Team::Runtime::openmp, false);
  std::vector<graph::GraphSize> sizes;
  sizes.reserve(call.graphs.size());
  for (const std::string& file : call.graphs) sizes.push_back(graph::size_of(file, team));
  check_nodes(call, sizes);
  print(decided_report(procedure, call, options, sizes), options);
}

}  // namespace Atoll::program
