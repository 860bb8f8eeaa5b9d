// A graph in compressed sparse rows, read from a file, generated, or made of edges in memory: plain
// arrays in unplaced memory (or mapped from a file), from which a program's placed arrays are
// filled.
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

/// Bytes of an id. Node ids are narrow below 2^32 - 1 nodes, edge ids (and offsets) below 2^32 - 1
/// edges, unless wide ones are requested.
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

/// What of a graph says how long its arrays are, and what its nodes are called.
struct GraphSize {
  std::uint64_t nodes = 0;
  std::uint64_t edges = 0;
  IdWidth node_width = IdWidth::narrow;
  IdWidth edge_width = IdWidth::narrow;
  bool labels = false;  ///< nodes have names, else numbers
  friend bool operator==(const GraphSize&, const GraphSize&) = default;
};

/// Numbers of edges: doubles, or whole numbers if all are and some are beyond 2^53, where a double
/// would round them.
using EdgeValues = std::variant<std::span<const double>, std::span<const std::int64_t>>;

/// A directed graph; its reverse edges are made on request.
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
  /// The section's bytes: ids of node_width() (node_idx, r_node_idx) or edge_width() (the others).
  /// The graph must have it.
  [[nodiscard]] std::span<const std::byte> bytes(Section section) const;
  template <class Id>
  [[nodiscard]] std::span<const Id> ids(Section section) const {
    const auto raw = bytes(section);
    return {reinterpret_cast<const Id*>(raw.data()), raw.size() / sizeof(Id)};
  }
  /// Makes the section if the graph hasn't got it (begin and node_idx are always there).
  void require(Section section, const Team& team);
  /// Gives back the resident memory of the whole pages within a part of the section (all of it by
  /// default), once it has been copied. A mapped file can be read again; other memory is lost for
  /// good.
  void drop(Section section, std::size_t first_byte = 0, std::size_t bytes = SIZE_MAX);

  [[nodiscard]] bool has_labels() const;
  /// The node's name, or its number in decimal if there are no labels.
  [[nodiscard]] std::string label(std::uint64_t node) const;
  /// The node's label where it lies. The graph must have labels.
  [[nodiscard]] std::string_view label_view(std::uint64_t node) const;

  /// Names of the numbers that edges have, in the order of TextOptions::values.
  [[nodiscard]] const std::vector<std::string>& value_names() const;
  /// The numbers of that name, one for each edge. The graph must have them.
  [[nodiscard]] EdgeValues values(std::string_view name) const;
  /// Gives back the resident memory of these numbers as drop() does.
  void drop_values(std::string_view name);

  struct State;
  explicit Graph(std::unique_ptr<State> state);
  [[nodiscard]] const State& state() const { return *state_; }
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// The values of an edge that was made of several with the same ends. `error` refuses such edges.
enum class Duplicates : std::uint8_t { first, last, min, max, sum, error };

/// How to make a graph of edges.
struct BuildOptions {
  bool symmetrise = false;                    ///< every edge in both directions
  bool deduplicate = true;                    ///< edges with the same ends are kept once
  Duplicates duplicates = Duplicates::first;  ///< used by loaders, if `deduplicate` is set
  bool drop_self_loops = false;
  bool wide_ids = false;        ///< 64-bit ids even where 32 bits would do
  std::uint64_t min_nodes = 0;  ///< at least so many nodes, for trailing nodes without edges
};

/// How a text names nodes, and which of its columns are used.
struct TextOptions {
  enum class Ids {
    automatic,  ///< like `relabel` if most ids have no edge, else like `keep`
    keep,       ///< an id is a node's number
    relabel,    ///< nodes are numbered anew, ascending, or, if some ids are words, in their order;
                ///< labels are the ids
  };
  Ids ids = Ids::automatic;
  bool one_based = false;  ///< ids count from 1: id 1 is node 0
  /// The columns of an edge's two ends: by their names in the first line, or by their numbers from
  /// 1 if there is no such line. Empty means the first two columns.
  std::string from, to;
  /// A number of each edge.
  struct Value {
    std::string name;
    std::string column;  ///< like `from`; in an edge list, or the key in a Python dictionary
  };
  std::vector<Value> values;  ///< numbers of edges that are kept
  /// A file with the id of a node on each line, for nodes without edges. Empty: there is none.
  std::string vertices;
  /// Options as a person gave them ("--columns"). They are refused if the file's format takes no
  /// such option.
  std::vector<std::string> given;
};

/// Loads a file: Atoll's binary graph, Matrix Market, METIS or an edge list (SNAP style),
/// recognised by its content. Texts may be packed (gzip, zstd, xz, bzip2; tar or zip of one file).
/// "-" is standard input. `build` and `text` apply to text. Throws Error (input) that names file
/// and line.
[[nodiscard]] Graph load(const std::string& path, const Team& team, const BuildOptions& build = {},
                         const TextOptions& text = {});
/// Returns the size of the graph that load(path, team) returns. Of Atoll's binary graph only the
/// head is read and checked, whatever the file's size. Texts are loaded: their edges count once
/// each, and only a sorted graph shows which are the same.
[[nodiscard]] GraphSize size_of(const std::string& path, const Team& team);
/// The widths of a graph's ids.
struct IdWidths {
  IdWidth node = IdWidth::narrow;
  IdWidth edge = IdWidth::narrow;
  friend bool operator==(const IdWidths&, const IdWidths&) = default;
};
/// Returns the widths of the graph that load(path, team) returns, or none if more than a file's
/// head would have to be read to tell. Nothing is read of a pipe. Throws Error (input) for a file
/// that isn't there or whose head is wrong.
[[nodiscard]] std::optional<IdWidths> widths_of(const std::string& path);
/// Reads and checks a text as load() does, but makes no graph of it.
struct TextSize {
  std::uint64_t nodes = 0;
  std::uint64_t entries = 0;  ///< lines with an edge
};
[[nodiscard]] TextSize scan_text(const std::string& path, const Team& team);
/// Makes a graph of edges in memory, (source, target) each. Throws Error (failed) without the
/// memory for it.
[[nodiscard]] Graph from_edges(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& edges,
                               const Team& team, const BuildOptions& build = {});

/// Returns a graph of arrays that the caller keeps, unchanged, for as long as the graph lives:
/// nothing is copied. Throws Error (input) unless they are one: `begin` holds nodes + 1 offsets
/// from 0 to the number of edges, none below the one before; `targets` are nodes, ascending within
/// a node.
template <class Node, class Edge>
[[nodiscard]] Graph borrow_csr(std::span<const Edge> begin, std::span<const Node> targets);
extern template Graph borrow_csr(std::span<const std::uint32_t>, std::span<const std::uint32_t>);
extern template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint32_t>);
extern template Graph borrow_csr(std::span<const std::uint64_t>, std::span<const std::uint64_t>);

/// Reads one label from each line: line i (from 0) is node i's. Throws Error (input) unless there
/// are as many lines as nodes.
void read_labels(Graph& graph, const std::string& path);

/// Writes Atoll's binary graph (docs/graph-file.md) under a temporary name, then renames it.
void save(const Graph& graph, const std::string& path);
/// Writes "source target" and its values for each edge, one on a line. "-" is standard output.
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
