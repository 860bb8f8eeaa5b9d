// Breadth-first traversal, level by level. The caller runs its own parallel loop over a level, then
// requests the next one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "atoll/graph/nil.hpp"
#include "atoll/parallel/for_each.hpp"

namespace Atoll::graph {

/// Level 0 is the root. The next level contains each node that isn't entered yet, that an edge from
/// the current level leads to, and that the navigator accepts. The nodes of a level are ascending
/// and don't depend on the number of threads.
///   for (bfs.start(root); !bfs.done(); bfs.advance(team, begin, node_idx, may_enter))
///     … bfs.level() …                                        // InBFS
///   for (std::size_t i = bfs.levels(); i-- > 0;) … bfs.level(i) …  // InReverse
/// Memory: two ids for each node, 8 bytes for each level. Construction takes O(nodes) time, start()
/// O(nodes entered since the last start()), so one object should serve many traversals. Only one
/// thread may change the object; several threads may read it while none changes it.
template <class Node>
class BreadthFirst {
 public:
  explicit BreadthFirst(std::size_t nodes) : level_of_(nodes, kNil<Node>), nodes_(nodes) {}

  /// Starts a traversal at level 0. If the root is NIL, there is no level.
  void start(Node root) {
    for (const Node node : std::span(nodes_).first(first_.back())) level_of_[node] = kNil<Node>;
    first_.assign(1, 0);
    current_ = 0;
    if (root == kNil<Node>) return;
    nodes_[0] = root;
    level_of_[root] = 0;
    first_.push_back(1);
  }

  /// True if there is no current level: before start(), and after the last level.
  [[nodiscard]] bool done() const noexcept { return current_ >= levels(); }
  /// The nodes of the current level; empty if done(). The span is valid until start().
  [[nodiscard]] std::span<const Node> level() const noexcept {
    return done() ? std::span<const Node>() : level(current_);
  }
  /// The number of levels found since start().
  [[nodiscard]] std::size_t levels() const noexcept { return first_.size() - 1; }
  /// The nodes of level `number`, which is below levels().
  [[nodiscard]] std::span<const Node> level(std::size_t number) const noexcept {
    return {nodes_.data() + first_[number], first_[number + 1] - first_[number]};
  }

  /// The level of any node; -1 if the node isn't entered.
  [[nodiscard]] std::int64_t level_of(Node node) const noexcept {
    const Node level = level_of_[node];
    return level == kNil<Node> ? -1 : static_cast<std::int64_t>(level);
  }
  /// True if both nodes are entered, and `node` is one level closer to the root than `from`.
  [[nodiscard]] bool is_one_level_above(Node node, Node from) const noexcept {
    return level_of(node) >= 0 && level_of(node) + 1 == level_of(from);
  }
  /// True if both nodes are entered, and `node` is one level farther from the root than `from`.
  [[nodiscard]] bool is_one_level_below(Node node, Node from) const noexcept {
    return is_one_level_above(from, node);
  }

  /// Finds the next level, and makes it the current one. The two arrays define the edges (with the
  /// reverse arrays, the traversal follows in-edges, as Green-Marl's G^). Several threads call
  /// may_enter(node) concurrently, once for each edge to a node that isn't entered. Its result for
  /// a node must not change within a level; a refused node is offered again in later levels.
  /// Rethrows exceptions of may_enter, and throws Stopped if the team is stopped. After an
  /// exception there is no level until start().
  template <class Edge, class Navigator>
  void advance(const Team& team, const Edge* begin, const Node* node_idx, Navigator&& may_enter) {
    if (done()) return;
    try {
      const std::size_t end = enter_next(team, begin, node_idx, may_enter);
      sort_next(team, end);
      if (end != first_.back()) first_.push_back(end);
      ++current_;
    } catch (...) {
      std::ranges::fill(level_of_, kNil<Node>);
      first_.assign(1, 0);
      current_ = 0;
      throw;
    }
  }
  template <class Edge>
  void advance(const Team& team, const Edge* begin, const Node* node_idx) {
    advance(team, begin, node_idx, [](Node) { return true; });
  }

 private:
  /// Buffer of nodes that one thread entered; flush() appends them to the shared list.
  class Found {
   public:
    Found(std::vector<Node>& all, std::atomic<std::size_t>& end) : all_(all), end_(end) {}
    void add(Node node) {
      if (size_ == nodes_.size()) flush();
      nodes_[size_++] = node;
    }
    void flush() {
      const std::size_t at = end_.fetch_add(size_, std::memory_order_relaxed);
      std::copy_n(nodes_.begin(), size_, all_.begin() + static_cast<std::ptrdiff_t>(at));
      size_ = 0;
    }

   private:
    std::vector<Node>& all_;
    std::atomic<std::size_t>& end_;
    std::array<Node, 256> nodes_;
    std::size_t size_ = 0;
  };

  static constexpr std::size_t kPart = 64;  ///< nodes of a level that a thread fetches at once
  static constexpr std::size_t kSerial =
      4096;  ///< levels with at most this many nodes and edges use one thread

  /// Enters the next level's nodes, in any order. Returns the end of the shared list.
  template <class Edge, class Navigator>
  std::size_t enter_next(const Team& team, const Edge* begin, const Node* node_idx,
                         Navigator& may_enter) {
    const std::span<const Node> from = level();
    const auto next = static_cast<Node>(current_ + 1);
    std::atomic<std::size_t> end{first_.back()};
    const auto enter_from = [&](std::span<const Node> part) {
      Found found(nodes_, end);
      for (const Node source : part)
        for (Edge edge = begin[source], last = begin[source + 1]; edge != last; ++edge) {
          const Node node = node_idx[edge];
          const std::atomic_ref<Node> level(level_of_[node]);
          Node none = kNil<Node>;
          if (level.load(std::memory_order_relaxed) == none && may_enter(node) &&
              level.compare_exchange_strong(none, next, std::memory_order_relaxed))
            found.add(node);
        }
      found.flush();
    };
    if (is_little(from, begin)) {
      team.check_stop();
      enter_from(from);
    } else {
      const std::size_t parts = from.size() / kPart + (from.size() % kPart != 0);
      Atoll::detail::for_each_chunk_number(
          team, parts, LoopSchedule::dynamic, [&](std::size_t part) {
            enter_from(from.subspan(part * kPart, std::min(kPart, from.size() - part * kPart)));
          });
    }
    return end.load(std::memory_order_relaxed);
  }

  template <class Edge>
  [[nodiscard]] static bool is_little(std::span<const Node> from, const Edge* begin) {
    std::size_t work = from.size();
    for (std::size_t i = 0; i < from.size() && work <= kSerial; ++i)
      work += begin[from[i] + 1] - begin[from[i]];
    return work <= kSerial;
  }

  /// Sorts the next level's nodes. If the level has more than 1/64 of all nodes, a scan of
  /// level_of_ is no slower than a sort.
  void sort_next(const Team& team, std::size_t end) {
    const std::size_t start = first_.back();
    if (end - start <= level_of_.size() / 64) {
      std::sort(nodes_.begin() + static_cast<std::ptrdiff_t>(start),
                nodes_.begin() + static_cast<std::ptrdiff_t>(end));
      return;
    }
    const LoopRange all = level_of_.size();
    const auto next = static_cast<Node>(current_ + 1);
    std::vector<std::size_t> at(all.chunks());
    for_each_chunk(team, all, LoopSchedule::dynamic, [&](std::size_t first, std::size_t last) {
      at[first / kLoopChunk] = static_cast<std::size_t>(
          std::count(&level_of_[first], &level_of_[first] + (last - first), next));
    });
    std::size_t sum = start;
    for (std::size_t& chunk : at) sum += std::exchange(chunk, sum);
    for_each_chunk(team, all, LoopSchedule::dynamic, [&](std::size_t first, std::size_t last) {
      std::size_t to = at[first / kLoopChunk];
      for (std::size_t node = first; node < last; ++node)
        if (level_of_[node] == next) nodes_[to++] = static_cast<Node>(node);
    });
  }

  std::vector<Node> level_of_;         ///< kNil: not entered
  std::vector<Node> nodes_;            ///< level by level
  std::vector<std::size_t> first_{0};  ///< begin of each level in nodes_, then the end of the last
  std::size_t current_ = 0;            ///< number of the current level; levels() if there is none
};

}  // namespace Atoll::graph
