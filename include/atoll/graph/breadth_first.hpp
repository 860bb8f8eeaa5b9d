// Breadth-first traversal: levels of nodes from a root on. Which nodes a level has, and their
// order, does not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "atoll/graph/nil.hpp"
#include "atoll/parallel/for_each.hpp"
#include "atoll/threads/team.hpp"

namespace Atoll::graph {

template <class Node>
class BreadthFirst {
 public:
  /// Of a graph with so many nodes. Takes 8 bytes and two ids for each.
  explicit BreadthFirst(std::size_t nodes) : level_of_(nodes, kNotEntered) {}

  /// The first level is the root; there is none if the root is NIL.
  void start(Node root) {
    std::fill(level_of_.begin(), level_of_.end(), kNotEntered);
    nodes_.clear();
    nodes_.reserve(level_of_.size());  // spans of levels stay valid
    starts_ = {0};
    current_ = 0;
    if (root == kNil<Node>) return;
    level_of_[root] = 0;
    nodes_.push_back(root);
    starts_.push_back(1);
  }

  /// True if there is no level to visit.
  [[nodiscard]] bool done() const { return current_ >= levels(); }
  /// The current level's nodes in ascending order.
  [[nodiscard]] std::span<const Node> level() const { return level(current_); }

  /// Finds the next level: the neighbours that aren't entered yet, and that may be. The navigator
  /// is asked by all threads, for a node any number of times; one that it refuses may be entered
  /// later.
  template <class Edge, class Navigator>
  void advance(const Team& team, const Edge* begin, const Node* node_idx, Navigator&& may_enter) {
    const std::span<const Node> from = level();
    const auto number = static_cast<std::int32_t>(current_ + 1);
    std::vector<Node> next = reduce_chunks<std::vector<Node>>(
        team, from.size(), LoopSchedule::dynamic, {},
        [&](std::size_t first, std::size_t last) {
          std::vector<Node> found;
          for (std::size_t i = first; i < last; ++i)
            for (Edge edge = begin[from[i]]; edge < begin[from[i] + 1]; ++edge) {
              const Node node = node_idx[edge];
              std::atomic_ref known(level_of_[node]);
              if (known.load(std::memory_order_relaxed) != kNotEntered || !may_enter(node))
                continue;
              std::int32_t expected = kNotEntered;
              if (known.compare_exchange_strong(expected, number, std::memory_order_relaxed))
                found.push_back(node);
            }
          return found;
        },
        [](std::vector<Node> a, const std::vector<Node>& b) {
          a.insert(a.end(), b.begin(), b.end());
          return a;
        });
    ++current_;
    if (next.empty()) return;
    std::sort(next.begin(), next.end());
    nodes_.insert(nodes_.end(), next.begin(), next.end());
    starts_.push_back(nodes_.size());
  }

  /// How many levels were found.
  [[nodiscard]] std::size_t levels() const { return starts_.size() - 1; }
  /// A level's nodes in ascending order; level 0 is the root.
  [[nodiscard]] std::span<const Node> level(std::size_t number) const {
    return std::span(nodes_).subspan(starts_[number], starts_[number + 1] - starts_[number]);
  }
  /// The node's level, or -1 if it isn't entered.
  [[nodiscard]] std::int32_t level_of(Node node) const { return level_of_[node]; }
  /// True if `node` is entered, one level nearer to the root than `from`, which is entered.
  [[nodiscard]] bool is_one_level_above(Node node, Node from) const {
    return level_of_[node] >= 0 && level_of_[node] + 1 == level_of_[from];
  }
  /// True if `node` is one level further from the root than `from`, which is entered.
  [[nodiscard]] bool is_one_level_below(Node node, Node from) const {
    return level_of_[from] >= 0 && level_of_[from] + 1 == level_of_[node];
  }

 private:
  static constexpr std::int32_t kNotEntered = -1;

  std::vector<std::int32_t> level_of_;
  std::vector<Node> nodes_;  ///< level after level
  std::vector<std::size_t> starts_{0};
  std::size_t current_ = 0;
};

}  // namespace Atoll::graph
