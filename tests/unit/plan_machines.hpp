// Machines and requests for the tests of `plan`: sockets with round figures, the arrays of
// PageRank.
#pragma once

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/base/units.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/plan/choose_layouts.hpp"

namespace Atoll::test {

/// A machine of equal sockets, each with one node of memory.
struct Sockets {
  int sockets = 2;
  int cores = 4;                 ///< per socket
  std::uint32_t first_node = 0;  ///< id of the first node
  double local_ns = 80, remote_ns = 160;
  double local_bandwidth = 10e9, remote_bandwidth = 5e9;  ///< bytes per second, for reads
  double write_ratio = 0.5;                               ///< relative to the read bandwidth
  bool ring = false;                                      ///< if false, fully connected
  std::uint64_t l3_bytes = 0;
  int l3_shared_by = 4;
  std::uint64_t free_bytes = 64 * kGiB;                ///< per node
  std::optional<std::uint64_t> free_in_all = {};       ///< limit of the sum over all nodes
  std::uint64_t free_2m_pages = 0, free_1g_pages = 0;  ///< per node
  std::uint64_t tlb_entries = 1 << 20;                 ///< per page size; default: no walks
};

inline Place place(PlaceKind kind, int index, int os_index) {
  Place result;
  result.kind = kind;
  result.index = index;
  result.os_index = os_index;
  return result;
}

inline Machine machine_of(const Sockets& s) {
  Machine::Data data;
  data.name = "sockets";
  data.free_bytes = s.free_in_all;
  data.caches.l3_bytes = s.l3_bytes;
  data.caches.l3_shared_by = s.l3_shared_by;
  data.caches.tlb_4k = data.caches.tlb_2m = data.caches.tlb_1g = s.tlb_entries;
  int units = 0;
  for (int i = 0; i < s.sockets; ++i) {
    const NodeId node{s.first_node + static_cast<std::uint32_t>(i)};
    Place package = place(PlaceKind::package, i, i);
    package.memories = {node};
    for (int c = 0; c < s.cores; ++c, ++units) {
      Place core = place(PlaceKind::core, units, -1);
      core.children = {place(PlaceKind::pu, units, units)};
      package.children.push_back(core);
      data.processors.push_back({.os_index = units, .core = units, .package = i, .node = node});
    }
    data.root.children.push_back(package);
    data.memories.push_back({.id = node,
                             .tier = "dram",
                             .capacity_bytes = 64 * kGiB,
                             .free_bytes = s.free_bytes,
                             .source = {},
                             .free_2m_pages = s.free_2m_pages,
                             .free_1g_pages = s.free_1g_pages});
    for (int j = 0; j < s.sockets; ++j) {
      const double bandwidth = i == j ? s.local_bandwidth : s.remote_bandwidth;
      data.links[{node, NodeId{s.first_node + static_cast<std::uint32_t>(j)}}] = {
          .latency_ns = {i == j ? s.local_ns : s.remote_ns, {}},
          .read_bytes_per_second = {bandwidth, {}},
          .write_bytes_per_second = {bandwidth * s.write_ratio, {}},
          .distance = i == j                                       ? 10.0
                      : s.ring && std::abs(i - j) == s.sockets / 2 ? 30.0
                                                                   : 20.0};
    }
  }
  return {std::move(data), "test"};
}

inline AccessPattern pattern_with(std::vector<PatternAccess> accesses) {
  AccessPattern pattern;
  pattern.accesses = std::move(accesses);
  return pattern;
}

/// The arrays of [shoal Table 1] for a graph with N nodes and E edges, with ids of `id_bytes`
/// bytes, in k iterations.
inline std::vector<ArrayRequest> pagerank(double nodes, double edges, std::uint32_t id_bytes) {
  const Formula n = Formula::symbol("N"), e = Formula::symbol("E"), k = Formula::symbol("k");
  const auto read = [](Order order, Formula count) {
    return PatternAccess{false, order, std::move(count)};
  };
  const auto written = [](Order order, Formula count) {
    return PatternAccess{true, order, std::move(count)};
  };
  const auto request = [&](std::string name, Formula length, std::uint32_t bytes, bool graph_own,
                           std::vector<PatternAccess> accesses) {
    ArrayRequest r;
    r.name = std::move(name);
    r.elements = static_cast<std::uint64_t>(length.evaluate({{"N", nodes}, {"E", edges}}));
    r.element_bytes = bytes;
    r.pattern.elements = std::move(length);
    r.pattern.graph_own = graph_own;
    r.pattern.accesses = std::move(accesses);
    r.filled_from_elsewhere = graph_own;
    return r;
  };
  std::vector<ArrayRequest> requests{
      request("begin", n + 1, id_bytes, true, {read(Order::random, 2 * k * e)}),
      request("node_idx", e, id_bytes, true, {}),
      request("r_begin", n + 1, id_bytes, true, {read(Order::near, 2 * k * n)}),
      request("r_node_idx", e, id_bytes, true, {read(Order::stream, k * e)}),
      request(
          "pg_rank", n, 8, false,
          {read(Order::random, k * e), read(Order::own, k * n), written(Order::own, n + k * n)}),
      request("pg_rank_nxt", n, 8, false, {read(Order::own, k * n), written(Order::own, k * n)})};
  requests.back().pattern.temporary = true;
  return requests;
}

inline const Choice& choice_of(const std::vector<Choice>& choices, std::string_view name) {
  for (const Choice& choice : choices)
    if (choice.name == name) return choice;
  throw std::out_of_range(std::string(name));
}

}  // namespace Atoll::test
