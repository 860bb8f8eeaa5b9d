// Common code of the graph tests: temporary files, a team, and naive implementations.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/graph/graph.hpp"
#include "temporary_folder.hpp"

namespace Atoll::graph {

using Edges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

inline const Team& team_of(int threads) {
  static std::vector<std::unique_ptr<Team>> teams(8);
  auto& team = teams.at(static_cast<std::size_t>(threads));
  if (!team)
    team = std::make_unique<Team>(ThreadPlaces(static_cast<std::size_t>(threads)),
                                  Team::Runtime::std_threads, false);
  return *team;
}

/// Returns the edge values of that name, which must be doubles.
inline std::vector<double> doubles(const Graph& graph, const std::string& name) {
  const auto all = std::get<std::span<const double>>(graph.values(name));
  return {all.begin(), all.end()};
}
/// Returns the edge values of that name, which must be integers.
inline std::vector<std::int64_t> wholes(const Graph& graph, const std::string& name) {
  const auto all = std::get<std::span<const std::int64_t>>(graph.values(name));
  return {all.begin(), all.end()};
}

/// A test fixture with its own temporary folder.
class GraphTest : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  std::string write(const std::string& name, const std::string& content) const {
    std::filesystem::remove(path(name));  // ext4 syncs a file that is truncated and rewritten
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] long files() const {
    return std::distance(std::filesystem::directory_iterator(folder_.path()),
                         std::filesystem::directory_iterator());
  }

 private:
  TemporaryFolder folder_;
};

/// Returns a section's numbers, of any width, as 64-bit numbers.
inline std::vector<std::uint64_t> numbers(const Graph& graph, Section section) {
  const bool of_nodes = section == Section::node_idx || section == Section::r_node_idx;
  std::vector<std::uint64_t> all;
  if ((of_nodes ? graph.node_width() : graph.edge_width()) == IdWidth::wide)
    std::ranges::copy(graph.ids<std::uint64_t>(section), std::back_inserter(all));
  else
    std::ranges::copy(graph.ids<std::uint32_t>(section), std::back_inserter(all));
  return all;
}

/// Returns the graph's edges, from its out-edges, in order.
inline Edges edges_of(const Graph& graph) {
  const auto begin = numbers(graph, Section::begin);
  const auto targets = numbers(graph, Section::node_idx);
  Edges edges;
  for (std::uint64_t node = 0; node < graph.nodes(); ++node)
    for (std::uint64_t edge = begin[node]; edge < begin[node + 1]; ++edge)
      edges.emplace_back(node, targets[edge]);
  return edges;
}

/// Computes the expected edges for these options by sorting.
inline Edges expected_edges(Edges edges, const BuildOptions& options) {
  if (options.drop_self_loops)
    std::erase_if(edges, [](auto& edge) { return edge.first == edge.second; });
  if (options.symmetrise)
    for (std::size_t i = edges.size(); i-- > 0;)
      if (edges[i].first != edges[i].second) edges.emplace_back(edges[i].second, edges[i].first);
  std::ranges::sort(edges);
  if (options.deduplicate) edges.erase(std::ranges::unique(edges).begin(), edges.end());
  return edges;
}

/// Checks every section of the graph against the edges.
inline void expect_graph(Graph& graph, const Edges& edges, std::uint64_t nodes, const Team& team) {
  ASSERT_EQ(graph.nodes(), nodes);
  ASSERT_EQ(graph.edges(), edges.size());
  EXPECT_EQ(edges_of(graph), edges);
  for (const Section section : {Section::r_begin, Section::r_node_idx, Section::r_edge_idx})
    graph.require(section, team);
  const auto r_begin = numbers(graph, Section::r_begin);
  const auto sources = numbers(graph, Section::r_node_idx);
  const auto ids = numbers(graph, Section::r_edge_idx);
  std::vector<std::vector<std::pair<std::uint64_t, std::uint64_t>>> in(nodes);
  for (std::uint64_t edge = 0; edge < edges.size(); ++edge)
    in[edges[edge].second].emplace_back(edges[edge].first, edge);
  std::vector<std::uint64_t> expected_begin{0}, expected_sources, expected_ids;
  for (const auto& row : in) {
    for (const auto& [source, edge] : row) {
      expected_sources.push_back(source);
      expected_ids.push_back(edge);
    }
    expected_begin.push_back(expected_sources.size());
  }
  EXPECT_EQ(r_begin, expected_begin);
  EXPECT_EQ(sources, expected_sources);
  EXPECT_EQ(ids, expected_ids);
}

/// Returns the message of the Error (input) that `body` throws; empty if it doesn't throw.
template <class Body>
std::string input_error(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace Atoll::graph
