// METIS graphs with everything that their files contain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/plan/affinity_graph.hpp"
#include "graph/input_file.hpp"
#include "graph/load_text.hpp"

namespace Atoll::graph {

/// An undirected graph in rows; each edge is in the rows of both its vertices.
struct MetisGraph {
  std::vector<std::uint64_t> begin{0};        ///< vertices + 1 offsets into the two lists below
  std::vector<std::uint32_t> neighbours;      ///< counted from 0, ascending within a vertex
  std::vector<std::uint32_t> edge_weights;    ///< of each neighbour's edge; empty if unweighted
  bool sizes = false;                         ///< each vertex has a size
  int constraints = 0;                        ///< the number of weights of each vertex
  std::vector<std::uint32_t> vertex_numbers;  ///< for each vertex: its size, then its weights

  [[nodiscard]] std::size_t vertices() const { return begin.size() - 1; }
  [[nodiscard]] std::size_t numbers_a_vertex() const {
    return static_cast<std::size_t>(sizes) + static_cast<std::size_t>(constraints);
  }
  friend bool operator==(const MetisGraph&, const MetisGraph&) = default;
};

/// True if the name ends in .graph (before the ending of a packed file). Also true if the text
/// can't be an edge list, and its rows fit a first line "vertices edges".
[[nodiscard]] bool is_metis_graph(std::string_view head, std::string_view name);

/// Throws Error (input) that names the first wrong line, or if the graph would need more than
/// `budget` bytes.
[[nodiscard]] MetisGraph read_metis(TextReader& reader, std::uint64_t budget);
/// Implements read_metis_graph() of atoll/graph/metis.hpp.
[[nodiscard]] AffinityGraph read_metis_tasks(InputFile& file, const std::string& path,
                                             const Team& team);
/// Returns each edge in both directions. Column 3 of an edge is its weight.
[[nodiscard]] ParsedText parse_metis(TextReader& reader, const Team& team,
                                     const TextRequest& request);

void write_metis(const MetisGraph& graph, const std::string& path);
/// Throws Error (input) unless the graph has each edge once in both directions, no self-loops, and
/// at most one value, with integers from 1.
void save_metis(const Graph& graph, const std::string& path);

}  // namespace Atoll::graph
