// The baseline `raw pointers`: the PageRank that the compiler generates from
// apps/greenmarl/pagerank.gm, handwritten with plain heap arrays and plain OpenMP.
//   pagerank_raw GRAPH E D MAX [RANKS]   prints {"seconds": …, "iterations": …}; RANKS: raw doubles
#include <omp.h>
#include <atoll/graph/graph.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "atoll/machine/thread_places.hpp"

namespace {

template <class Node, class Edge>
int pagerank(Atoll::graph::Graph& graph, double e, double d, int max, const char* ranks) {
  using Atoll::graph::Section;
  const auto n = static_cast<std::int64_t>(graph.nodes());
  const auto edges = static_cast<std::int64_t>(graph.edges());
  // Heap arrays, first touched by the threads that use them, as usual in OpenMP programs.
  const std::unique_ptr<Edge[]> begin(new Edge[n + 1]), r_begin(new Edge[n + 1]);
  const std::unique_ptr<Node[]> r_node_idx(new Node[edges]);
  const std::unique_ptr<double[]> rank(new double[n]), contribution(new double[n]);
  const auto from_begin = graph.ids<Edge>(Section::begin),
             from_r_begin = graph.ids<Edge>(Section::r_begin);
  const auto from_r_node_idx = graph.ids<Node>(Section::r_node_idx);
#pragma omp parallel for schedule(static)
  for (std::int64_t v = 0; v <= n; ++v) {
    begin[v] = from_begin[v];
    r_begin[v] = from_r_begin[v];
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < edges; ++i) r_node_idx[i] = from_r_node_idx[i];

  const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for schedule(static)
  for (std::int64_t v = 0; v < n; ++v) rank[v] = 1.0 / static_cast<double>(n);
  const double base = (1 - d) / static_cast<double>(n);
  int iterations = 0;
  double diff = 0;
  do {
    diff = 0;
    ++iterations;
#pragma omp parallel for schedule(static)
    for (std::int64_t v = 0; v < n; ++v)
      contribution[v] = rank[v] / static_cast<double>(begin[v + 1] - begin[v]);
#pragma omp parallel for schedule(dynamic, 1024) reduction(+ : diff)
    for (std::int64_t v = 0; v < n; ++v) {
      double sum = 0;
      for (Edge i = r_begin[v]; i < r_begin[v + 1]; ++i) sum += contribution[r_node_idx[i]];
      const double value = base + d * sum;
      diff += std::fabs(value - rank[v]);
      rank[v] = value;
    }
  } while (diff > e && iterations < max);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;

  std::printf("{\"seconds\": %.9f, \"iterations\": %d}\n", elapsed.count(), iterations);
  if (ranks != nullptr)
    std::ofstream(ranks, std::ios::binary)
        .write(reinterpret_cast<const char*>(rank.get()),
               n * static_cast<std::int64_t>(sizeof(double)));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(
      Atoll::spread_places(machine));  // also pins OpenMP's threads, as in Atoll's run
  Atoll::graph::Graph graph = Atoll::graph::load(argv[1], team);
  graph.require(Atoll::graph::Section::r_begin, team);
  graph.require(Atoll::graph::Section::r_node_idx, team);
  omp_set_num_threads(team.size());
  return Atoll::graph::with_id_types(graph, [&]<class Node, class Edge>() {
    return pagerank<Node, Edge>(graph, std::atof(argv[2]), std::atof(argv[3]), std::atoi(argv[4]),
                                argc > 5 ? argv[5] : nullptr);
  });
}
