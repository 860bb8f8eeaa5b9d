// Text forms of nodes and edges: a node is its label, or its number in a graph without labels; an
// edge is its two ends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "atoll/graph/graph.hpp"

namespace Atoll::program {

/// Returns true for a type whose values are ids of nodes or edges.
[[nodiscard]] inline bool is_id(ValueType type) {
  return type == ValueType::node || type == ValueType::edge;
}

/// Returns the source of a text, for error messages: "FILE:LINE" or an option.
using Where = std::function<std::string()>;

/// Ids of either width.
class IdSpan {
 public:
  IdSpan() = default;
  template <class Id>
  explicit IdSpan(std::span<const Id> ids) : ids_(ids.data()), wide_(sizeof(Id) == 8) {}
  [[nodiscard]] std::uint64_t operator[](std::uint64_t i) const {
    return wide_ ? static_cast<const std::uint64_t*>(ids_)[i]
                 : static_cast<const std::uint32_t*>(ids_)[i];
  }

 private:
  const void* ids_ = nullptr;
  bool wide_ = false;
};

/// Parses a node's number in a graph of `nodes` nodes without labels. Throws Error (input) if there
/// is no such node.
[[nodiscard]] std::uint64_t node_number(std::string_view text, std::uint64_t nodes,
                                        const Where& where);

/// The names of a graph's nodes and edges. The graph outlives this object.
class Names {
 public:
  explicit Names(const graph::Graph& graph)
      : Names(graph, {graph.node_width(), graph.edge_width()}) {}
  /// `widths` are the widths of the run's ids, which may exceed the graph's.
  Names(const graph::Graph& graph, graph::IdWidths widths);

  [[nodiscard]] std::uint64_t nodes() const { return graph_.nodes(); }
  [[nodiscard]] std::uint64_t edges() const { return graph_.edges(); }
  [[nodiscard]] std::string label(std::uint64_t node) const { return graph_.label(node); }
  /// NIL in the width of the run's ids.
  [[nodiscard]] std::uint64_t nil_node() const { return nil(widths_.node); }
  [[nodiscard]] std::uint64_t nil_edge() const { return nil(widths_.edge); }

  [[nodiscard]] bool is(std::uint64_t node, std::string_view label) const;
  /// Returns the node with that label. Throws Error (input) if there is none, with similar labels,
  /// or if several nodes have the label.
  [[nodiscard]] std::uint64_t node(std::string_view label, const Where& where) const;
  /// Frees the index.
  void forget_index() { index_ = {}; }

  /// Replaces the arrays of edges. Called when the edges have been placed and the graph has freed
  /// its own arrays.
  void use_edges(std::optional<IdSpan> begin, std::optional<IdSpan> targets) {
    begin_ = begin.value_or(begin_);
    targets_ = targets.value_or(targets_);
  }
  struct Ends {
    std::uint64_t from = 0, to = 0;
    std::uint64_t number = 1;  ///< index among the parallel edges, from 1
  };
  [[nodiscard]] Ends ends(std::uint64_t edge) const;
  [[nodiscard]] std::uint64_t first_edge(std::uint64_t node) const { return begin_[node]; }
  [[nodiscard]] std::uint64_t target(std::uint64_t edge) const { return targets_[edge]; }
  /// Returns the range [first, last) of the edges with these ends.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> edges_between(std::uint64_t from,
                                                                      std::uint64_t to) const;
  /// Returns an edge by its ends. Throws Error (input) if there is no such edge.
  [[nodiscard]] std::uint64_t edge(const Ends& ends, const Where& where) const;

 private:
  static std::uint64_t nil(graph::IdWidth width) {
    return width == graph::IdWidth::wide ? UINT64_MAX : UINT32_MAX;
  }
  void make_index() const;
  [[nodiscard]] std::vector<std::uint64_t> nodes_called(std::string_view label) const;
  [[nodiscard]] Error unknown(std::string_view label, const Where& where) const;

  const graph::Graph& graph_;
  graph::IdWidths widths_;
  IdSpan begin_, targets_;
  mutable int scans_ = 0;  ///< number of linear searches; after a few, an index is made
  /// Hash table of labels: node + 1; 0 marks a free slot.
  mutable std::variant<std::vector<std::uint32_t>, std::vector<std::uint64_t>> index_;
};

}  // namespace Atoll::program
