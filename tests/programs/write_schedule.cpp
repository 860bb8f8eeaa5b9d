// Writes a schedule of one loop: write_schedule FILE NAME ITERATIONS CHUNK THREADS FINGERPRINT.
// Thread t mod THREADS runs task t; each thread runs its tasks in descending order. All threads are
// on the first processing unit that this process may use.
#include <sched.h>

#include <cstdlib>

#include "atoll/plan/schedule_file.hpp"

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  const auto number = [&](int which) { return std::strtoull(argv[which], nullptr, 10); };
  const std::uint64_t threads = number(5);
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  int unit = 0;
  while (!CPU_ISSET(unit, &allowed)) ++unit;
  Atoll::ScheduledLoop loop{argv[2], number(3), number(4), number(6), {0}, {}};
  for (std::uint64_t thread = 0; thread < threads; ++thread) {
    for (std::uint64_t task = loop.task_count(); task-- > 0;)
      if (task % threads == thread) loop.tasks.push_back(static_cast<std::uint32_t>(task));
    loop.begin.push_back(loop.tasks.size());
  }
  const std::vector<Atoll::ThreadPlace> places(threads, {unit, Atoll::NodeId{0}});
  Atoll::write_schedule({places, {loop}}, argv[1]);
}
