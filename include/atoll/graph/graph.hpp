// A graph in compressed sparse rows: loaded from a file, generated, or built from edges in memory.
// Its arrays are in unplaced memory or in a mapped file. A program's placed arrays are filled from
// them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::graph {

/// Bytes of an id. Node ids are narrow if there are fewer than 2^32 - 1 nodes, edge ids (and
/// offsets) if there are fewer than 2^32 - 1 edges, unless wide ids are requested.
enum class IdWidth : std::uint8_t { narrow = 4, wide = 8 };
[[nodiscard]] constexpr std::uint32_t bytes_of(IdWidth width) {
  return static_cast<std::uint32_t>(width);
}

/// The arrays of a graph; names as in [shoal Table 1].
enum class Section {
  begin,       ///< N + 1 offsets: the out-edges of node v are begin[v] … begin[v+1]-1
  node_idx,    ///< E targets, ascending within a node; an edge's id is its position here
  r_begin,     ///< N + 1 offsets of the in-edges
  r_node_idx,  ///< E sources, ascending within a node
  r_edge_idx,  ///< E ids of the in-edges
};
inline constexpr int kSections = 5;

[[nodiscard]] std::string_view to_string(Section section);

/// The properties of a graph that determine the lengths of its arrays and the names of its nodes.
struct GraphSize {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  IdWidth node_width = IdWidth::narrow;
  IdWidth edge_width = IdWidth::narrow;
  bool labels = false;  ///< true if nodes have labels
  friend bool operator==(const GraphSize&, const GraphSize&) = default;
};

/// Values of edges: std::int64_t if all are integers and a double would round some of them (beyond
/// 2^53), else double.
using EdgeValues = std::variant<std::span<const double>, std::span<const std::int64_t>>;

/// A directed graph. Its reverse edges are built on request.
class Graph {
 public:
  Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  [[nodiscard]] std::uint64_t nodes() const;
  [[nodiscard]] std::uint64_t edges() const;
  [[nodiscard]] IdWidth node_width() const;
  [[nodiscard]] IdWidth edge_width() const;
  [[nodiscard]] GraphSize size() const {
    return {nodes(), edges(), node_width(), edge_width(), has_labels()};
  }

  [[nodiscard]] bool has(Section section) const;
  /// The section's bytes: ids of node_width() (node_idx, r_node_idx) or edge_width() (all others).
  /// The graph must have the section.
  [[nodiscard]] std::span<const std::byte> bytes(Section section) const;
  template <class Id>
  [[nodiscard]] std::span<const Id> ids(Section section) const {
    const auto raw = bytes(section);
    return {reinterpret_cast<const Id*>(raw.data()), raw.size() / sizeof(Id)};
  }
  /// Builds the section if it is missing (begin and node_idx always exist).
  void require(Section section, const Team& team);
  /// Releases the resident memory of the whole pages within a part of the section (default: all of
  /// it), for use after it was copied. A mapped file is read again on access; the content of other
  /// memory is lost.
  void drop(Section section, std::size_t first_byte = 0, std::size_t bytes = SIZE_MAX);

  [[nodiscard]] bool has_labels() const;
  /// The node's label, or its number in decimal if the graph has no labels.
  [[nodiscard]] std::string label(std::uint64_t node) const;
  /// The node's label as a view into the graph. The graph must have labels.
  [[nodiscard]] std::string_view label_view(std::uint64_t node) const;

  /// Names of the edges' values, in the order of TextOptions::values.
  [[nodiscard]] const std::vector<std::string>& value_names() const;
  /// The values with this name, one for each edge. The graph must have them.
  [[nodiscard]] EdgeValues values(std::string_view name) const;
  /// Releases the resident memory of these values, as drop() does.
  void drop_values(std::string_view name);

  struct State;
  explicit Graph(std::unique_ptr<State> state);
  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The rule for the value of an edge that was merged from several with the same ends. `error`
/// refuses such edges.
enum class Duplicates : std::uint8_t { first, last, min, max, sum, error };

/// Options for building a graph from edges.
struct BuildOptions {
  bool symmetrise = false;                    ///< adds the reverse of each edge
  bool deduplicate = true;                    ///< keeps one of several edges with the same ends
  Duplicates duplicates = Duplicates::first;  ///< used by loaders, if `deduplicate` is set
  bool drop_self_loops = false;
  bool wide_ids = false;        ///< 64-bit ids even where 32 bits suffice
  std::uint64_t min_nodes = 0;  ///< minimum number of nodes, for trailing nodes without edges
};

/// The names of nodes in a text, and the columns to read.
struct TextOptions {
  enum class Ids {
    automatic,  ///< like `relabel` if most ids have no edge, else like `keep`
    keep,       ///< ids are the nodes' numbers
    relabel,    ///< nodes are renumbered, in ascending order of ids, or in text order if some ids
                ///< are words; the ids become labels
  };
  Ids ids = Ids::automatic;
  bool one_based = false;  ///< ids count from 1: id 1 is node 0
  /// The columns of an edge's two ends: names from the first line, or numbers from 1 if the text
  /// has no such line. Empty: the first two columns.
  std::string from, to;
  /// A value of each edge.
  struct Value {
    std::string name;
    std::string column;  ///< like `from`; in an edge list: a column number or a dictionary key
  };
  std::vector<Value> values;  ///< values of edges to keep
  /// A file with a node id on each line, to include nodes without edges. Empty: none.
  std::string vertices;
  /// Options as given on the command line ("--columns"). Loading fails if the file's format doesn't
  /// support one of them.
  std::vector<std::string> given;
};

/// Loads a file: Atoll's binary graph, Matrix Market, METIS or an edge list (SNAP style),
/// recognised by its content. Texts may be packed (gzip, zstd, xz, bzip2; tar or zip of one file).
/// "-" is standard input. `build` and `text` apply to text. Throws Error (input) that names file
/// and line.
[[nodiscard]] Graph load(const std::string& path, const Team& team, const BuildOptions& build = {},
                         const TextOptions& text = {});
/// Returns the size of the graph that load(path, team) returns. For Atoll's binary graph, only the
/// file head is read and checked. Texts are loaded completely: duplicate edges count once, and only
/// a sorted graph shows them.
[[nodiscard]] GraphSize size_of(const std::string& path, const Team& team);
/// The widths of a graph's ids.
struct IdWidths {
  IdWidth node = IdWidth::narrow;
  IdWidth edge = IdWidth::narrow;
  friend bool operator==(const IdWidths&, const IdWidths&) = default;
};
/// Returns the id widths of the graph that load(path, team) returns. Returns std::nullopt if more
/// than the file head is needed to determine them. Reads nothing from a pipe. Throws Error (input)
/// if the file doesn't exist or its head is invalid.
[[nodiscard]] std::optional<IdWidths> widths_of(const std::string& path);
/// Size of a text that scan_text() reads and checks as load() does, without building the graph.
struct TextSize {
  std::uint64_t nodes = 0;
  std::uint64_t entries = 0;  ///< lines with an edge
};
[[nodiscard]] TextSize scan_text(const std::string& path, const Team& team);
/// Builds a graph from edges in memory, given as (source, target). Throws Error (failed) if there
/// isn't enough memory.
[[nodiscard]] Graph from_edges(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& edges,
                               const Team& team, const BuildOptions& build = {});

/// Returns a graph that refers to the caller's arrays without a copy. The caller must keep the
/// arrays unchanged during the graph's lifetime. Throws Error (input) unless the arrays are a valid
/// graph: `begin` has nodes + 1 non-decreasing offsets from 0 to the number of edges; `targets` are
/// node numbers, ascending within a node.
template <class Node, class Edge>
[[nodiscard]] Graph borrow_csr(std::span<const Edge> begin, std::span<const Node> targets);
extern template Graph borrow_csr(std::span<const std::uint32_t>, std::span<const std::uint32_t>);
extern template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint32_t>);
extern template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint64_t>);

/// Reads one label from each line; line i (from 0) labels node i. Throws Error (input) unless there
/// is one line for each node.
void read_labels(Graph& graph, const std::string& path);

/// Writes Atoll's binary graph (docs/graph-file.md) under a temporary name, then renames it.
void save(const Graph& graph, const std::string& path);
/// Writes one line "source target values…" for each edge. "-" is standard output.
void save_edge_list(const Graph& graph, const std::string& path);

/// Calls body.template operator()<Node, Edge>() with the unsigned types of the graph's ids.
template <class Body>
decltype(auto) with_id_types(const Graph& graph, Body&& body) {
  if (graph.node_width() == IdWidth::wide)
    return body.template operator()<std::uint64_t, std::uint64_t>();
  if (graph.edge_width() == IdWidth::wide)
    return body.template operator()<std::uint32_t, std::uint64_t>();
  return body.template operator()<std::uint32_t, std::uint32_t>();
}

}  // namespace Atoll::graph
