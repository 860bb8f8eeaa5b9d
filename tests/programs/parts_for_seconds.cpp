// The program of [shoal §2], to test a migrator. One thread initializes an array, then a thread on
// each node repeatedly processes its own part. The program ends when the required percentage of
// pages is local, or when the time is over. In the second case, it fails if fewer pages are local.
//   parts_for_seconds MIB SECONDS LEAST_LOCAL_PERCENT
#include <numa.h>
#include <numaif.h>
#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kPage = 4096;
/// Returns the first processing unit of a node; -1 if it has none.
int unit_of(int node) {
  bitmask* units = numa_allocate_cpumask();
  int found = -1;
  if (numa_node_to_cpus(node, units) == 0)
    for (unsigned i = 0; i < units->size && found < 0; ++i)
      if (numa_bitmask_isbitset(units, i) != 0) found = static_cast<int>(i);
  numa_free_cpumask(units);
  return found;
}

void bind_to(int unit) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(unit), &set);
  if (pthread_setaffinity_np(pthread_self(), sizeof set, &set) != 0) std::abort();
}

/// Returns the percentage of local pages without accessing any. Pages that are currently withdrawn
/// count as remote.
double seen_local(const double* data, std::size_t part, const std::vector<int>& nodes) {
  std::size_t local = 0;
  for (std::size_t t = 0; t < nodes.size(); ++t)
    for (std::size_t at = 0; at < part; at += kPage) {
      void* page = const_cast<double*>(data + (t * part + at) / sizeof(double));
      int node = -1;
      local += move_pages(0, 1, &page, nullptr, &node, 0) == 0 && node == nodes[t];
    }
  return 100.0 * static_cast<double>(local) / static_cast<double>(part / kPage * nodes.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::size_t bytes = std::strtoull(argv[1], nullptr, 10) << 20;
  const auto seconds = std::chrono::seconds(std::atoi(argv[2]));
  const double least = std::atof(argv[3]);

  std::vector<int> nodes;
  for (int node = 0; node <= numa_max_node(); ++node)
    if (unit_of(node) >= 0) nodes.push_back(node);
  bind_to(unit_of(nodes[0]));
  auto* data = static_cast<double*>(std::malloc(bytes));
  std::memset(data, 0, bytes);  // all pages are on node 0 now

  const std::size_t part = bytes / nodes.size() / kPage * kPage;
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < nodes.size(); ++t)
    threads.emplace_back([&, t] {
      bind_to(unit_of(nodes[t]));
      volatile double* mine = data + t * part / sizeof(double);
      while (!over)
        for (std::size_t i = 0; i < part / sizeof(double); i += 8) mine[i] = mine[i] + 1;
    });
  const auto end = std::chrono::steady_clock::now() + seconds;
  while (std::chrono::steady_clock::now() < end && seen_local(data, part, nodes) < least)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  over = true;
  for (std::thread& thread : threads) thread.join();

  std::size_t local = 0, all = 0;
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    std::vector<std::size_t> on_nodes(static_cast<std::size_t>(numa_max_node()) + 1);
    for (std::size_t at = 0; at < part; at += kPage, ++all) {
      int node = 0;
      void* page = reinterpret_cast<char*>(data) + t * part + at;
      if (get_mempolicy(&node, nullptr, 0, page, MPOL_F_NODE | MPOL_F_ADDR) != 0) std::abort();
      ++on_nodes[static_cast<std::size_t>(node)];
      local += node == nodes[t];
    }
    std::printf("part of node %d: pages by node", nodes[t]);
    for (const std::size_t pages : on_nodes) std::printf(" %zu", pages);
    std::printf("\n");
  }
  const double percent = 100.0 * static_cast<double>(local) / static_cast<double>(all);
  std::printf("local: %.1f %% of %zu pages\n", percent, all);
  std::free(data);
  return percent >= least ? 0 : 1;
}
