// Moves vertices between the parts of a split, at the least cost, until the parts have their
// shares.
#include <algorithm>
#include <cmath>
#include <queue>

#include "plan/split_graph.hpp"

namespace Atoll::detail {
namespace {

class Balance {
 public:
  Balance(const AffinityGraph& graph, const Shares& shares, Parts& parts)
      : graph_(graph), shares_(shares), parts_(parts), to_(shares.weights.size()) {
    surplus_.assign(shares.weights.size(), 0.0);
    for (std::size_t part = 0; part < surplus_.size(); ++part)
      surplus_[part] = -shares.weights[part];
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
      surplus_[parts[vertex]] += graph.work_of(vertex);
  }

  [[nodiscard]] bool balanced() const {
    for (std::size_t part = 0; part < surplus_.size(); ++part)
      if (std::abs(surplus_[part]) > shares_.imbalance * shares_.weights[part] + 1e-6) return false;
    return true;
  }

  /// Moves vertices at the parts' borders, or from anywhere if `any`. Returns the number of moves.
  std::size_t move(bool any) {
    for (std::uint32_t vertex = 0; vertex < parts_.size(); ++vertex)
      if (surplus_[parts_[vertex]] > 0 && graph_.work_of(vertex) > 0 && (any || at_border(vertex)))
        push(vertex);
    std::size_t moved = 0;
    while (!queue_.empty() && !balanced()) {
      const Move top = queue_.top();
      queue_.pop();
      Move now;
      if (!best_move(top.vertex, now)) continue;
      if (now.gain < top.gain) {  // earlier moves reduced the gain
        queue_.push(now);
        continue;
      }
      const std::uint32_t from = parts_[now.vertex];
      const double work = graph_.work_of(now.vertex);
      surplus_[from] -= work;
      surplus_[now.to] += work;
      parts_[now.vertex] = now.to;
      ++moved;
      for (std::uint64_t at = graph_.begin[now.vertex]; at < graph_.begin[now.vertex + 1]; ++at)
        if (parts_[graph_.neighbours[at]] == from) push(graph_.neighbours[at]);
    }
    queue_ = {};
    return moved;
  }

 private:
  struct Move {
    double gain = 0;  ///< edge weight saved per unit of work: heavy vertices need fewer moves
    std::uint32_t vertex = 0, to = 0;
    bool operator<(const Move& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };

  [[nodiscard]] bool at_border(std::uint32_t vertex) const {
    for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at)
      if (parts_[graph_.neighbours[at]] != parts_[vertex]) return true;
    return false;
  }

  /// Finds the cheapest move of the vertex that reduces the two parts' deviation from their shares.
  bool best_move(std::uint32_t vertex, Move& best) {
    const std::uint32_t own = parts_[vertex];
    const double work = graph_.work_of(vertex);
    if (surplus_[own] <= 0 || work == 0) return false;
    for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at)
      to_[parts_[graph_.neighbours[at]]] += graph_.weights[at];
    bool found = false;
    for (std::uint32_t part = 0; part < surplus_.size(); ++part) {
      // The sum of the squared surpluses must decrease.
      if (part == own || surplus_[part] >= 0 || work >= surplus_[own] - surplus_[part]) continue;
      const double gain = (to_[part] - to_[own]) / work;
      if (found && gain <= best.gain) continue;
      best = {gain, vertex, part};
      found = true;
    }
    for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at)
      to_[parts_[graph_.neighbours[at]]] = 0;
    return found;
  }
  void push(std::uint32_t vertex) {
    if (Move move; best_move(vertex, move)) queue_.push(move);
  }

  const AffinityGraph& graph_;
  const Shares& shares_;
  Parts& parts_;
  std::vector<double> surplus_;  ///< of each part
  std::vector<double> to_;       ///< weight from the current vertex to each part; else zero
  std::priority_queue<Move> queue_;
};

}  // namespace

void balance_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts) {
  Balance balance(graph, shares, parts);
  for (bool any = false; !balance.balanced();) {
    const std::size_t moved = balance.move(any);
    if (moved == 0 && any) return;
    any = moved == 0;
  }
}

}  // namespace Atoll::detail
