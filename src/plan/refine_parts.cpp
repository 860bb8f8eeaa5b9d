// Refines a split by Kernighan-Lin exchanges between each two parts, made of Fiduccia-Mattheyses
// single moves: a vertex moves in one direction, then one moves back, so that the parts keep their
// weights.
#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

#include "plan/split_graph.hpp"

namespace Atoll::detail {
namespace {

constexpr int kPasses = 4;              ///< over all pairs of parts
constexpr int kMovesInVain = 100;       ///< moves without improvement until a rollback
constexpr std::size_t kAllMove = 1000;  ///< in graphs up to this size, all may move
constexpr double kWorthAPass = 1e-2;    ///< of the cut; a pass that saves less is the last one

class Refinement {
 public:
  Refinement(const AffinityGraph& graph, const Shares& shares, Parts& parts)
      : graph_(graph), shares_(shares), parts_(parts), states_(graph.vertices()) {
    surplus_.assign(shares.weights.size(), 0.0);
    for (std::size_t part = 0; part < surplus_.size(); ++part)
      surplus_[part] = -shares.weights[part];
    for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
      surplus_[parts[vertex]] += graph.work_of(vertex);
  }

  /// Returns the edge weight saved.
  std::int64_t pass() {
    std::int64_t saved = 0;
    for (const auto& [pair, border] : borders()) saved += improve(pair.first, pair.second, border);
    return saved;
  }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct State {
    std::int64_t gain = 0;    ///< of its move to the other part of the pair
    std::uint32_t round = 0;  ///< round (pair of parts) for which `gain` is valid
    bool moved = false;       ///< in that round
  };
  /// Among equal gains, the latest entry is first: a border then moves at one place instead of
  /// scattered places.
  struct Entry {
    std::int64_t gain = 0;
    std::uint32_t entered = 0, vertex = 0;
    auto operator<=>(const Entry&) const = default;
  };
  using Queue = std::priority_queue<Entry>;

  /// Returns the vertices on both sides of each border. In a small graph, returns all vertices of
  /// the two parts, since vertices far from the border may have to move to make room.
  [[nodiscard]] std::map<Pair, std::vector<std::uint32_t>> borders() const {
    std::map<Pair, std::vector<std::uint32_t>> found;
    std::vector<std::uint32_t> met(surplus_.size());
    for (std::uint32_t vertex = 0; vertex < parts_.size(); ++vertex)
      for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at) {
        const std::uint32_t own = parts_[vertex];
        const std::uint32_t other = parts_[graph_.neighbours[at]];
        if (other == own || met[other] == vertex + 1) continue;
        met[other] = vertex + 1;
        found[std::minmax(own, other)].push_back(vertex);
      }
    if (parts_.size() <= kAllMove)
      for (auto& [pair, border] : found) {
        border.clear();
        for (std::uint32_t vertex = 0; vertex < parts_.size(); ++vertex)
          if (parts_[vertex] == pair.first || parts_[vertex] == pair.second)
            border.push_back(vertex);
      }
    return found;
  }

  [[nodiscard]] double allowed(std::uint32_t part) const {
    return shares_.imbalance * shares_.weights[part] + 1e-6;
  }

  std::int64_t improve(std::uint32_t one, std::uint32_t other,
                       const std::vector<std::uint32_t>& border) {
    ++round_;
    pair_ = {one, other};
    queues_[0] = queues_[1] = {};
    for (const std::uint32_t vertex : border) touch(vertex);
    // Maximum deviation of the two parts from their shares in the end.
    const double most_one = std::max(std::abs(surplus_[one]), allowed(one));
    const double most_other = std::max(std::abs(surplus_[other]), allowed(other));
    std::vector<std::uint32_t> moves;
    std::size_t kept = 0;
    std::int64_t sum = 0;
    std::int64_t best = 0;
    while (moves.size() < kept + kMovesInVain) {
      // Takes the better of both sides' best moves, among those that the weights permit.
      int side = -1;
      for (const int from : {0, 1}) {
        Queue& queue = queues_[from];
        while (!queue.empty() && outdated(queue.top())) renew(queue);
        if (queue.empty()) continue;
        // The part with more surplus may always give a vertex, so that some move exists.
        const double work = graph_.work_of(queue.top().vertex);
        const double out = from == 0 ? work : -work;
        const bool from_heavier = out * (surplus_[one] - surplus_[other]) >= 0;
        if (!from_heavier && (std::abs(surplus_[one] - out) > most_one ||
                              std::abs(surplus_[other] + out) > most_other))
          continue;
        if (side < 0 || queue.top().gain > queues_[side].top().gain) side = from;
      }
      if (side < 0) break;
      const std::uint32_t vertex = queues_[side].top().vertex;
      sum += states_[vertex].gain;
      move(vertex);
      moves.push_back(vertex);
      if (sum > best && std::abs(surplus_[one]) <= most_one &&
          std::abs(surplus_[other]) <= most_other) {
        best = sum;
        kept = moves.size();
      }
    }
    for (; moves.size() > kept; moves.pop_back()) put(moves.back());
    return best;
  }

  [[nodiscard]] bool outdated(const Entry& entry) const {
    const State& state = states_[entry.vertex];
    return state.moved || state.gain != entry.gain;
  }
  /// Removes an outdated entry. An entry whose gain fell is reinserted here, not when it falls:
  /// most such entries never reach the top.
  void renew(Queue& queue) {
    const Entry entry = queue.top();
    queue.pop();
    const State& state = states_[entry.vertex];
    if (!state.moved && state.gain < entry.gain) queue.push({state.gain, ++entered_, entry.vertex});
  }
  /// Moves the vertex to the other part. Returns its old part.
  std::uint32_t put(std::uint32_t vertex) {
    const std::uint32_t from = parts_[vertex];
    const std::uint32_t to = from == pair_.first ? pair_.second : pair_.first;
    surplus_[from] -= graph_.work_of(vertex);
    surplus_[to] += graph_.work_of(vertex);
    parts_[vertex] = to;
    return from;
  }
  /// Computes the gain of a vertex, and inserts it into its queue.
  void touch(std::uint32_t vertex) {
    State& state = states_[vertex];
    const std::uint32_t own = parts_[vertex];
    if (own != pair_.first && own != pair_.second) return;  // an earlier pair moved it
    const std::uint32_t other = own == pair_.first ? pair_.second : pair_.first;
    state = {0, round_, false};
    for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at) {
      const std::uint32_t part = parts_[graph_.neighbours[at]];
      if (part == own) state.gain -= graph_.weights[at];
      if (part == other) state.gain += graph_.weights[at];
    }
    queues_[own != pair_.first].push({state.gain, ++entered_, vertex});
  }
  void move(std::uint32_t vertex) {
    const std::uint32_t from = put(vertex);
    states_[vertex].moved = true;
    for (std::uint64_t at = graph_.begin[vertex]; at < graph_.begin[vertex + 1]; ++at) {
      const std::uint32_t next = graph_.neighbours[at];
      const std::uint32_t part = parts_[next];
      if (part != pair_.first && part != pair_.second) continue;
      State& state = states_[next];
      if (state.round != round_) {
        touch(next);
        continue;
      }
      if (state.moved) continue;
      const std::int64_t twice = 2 * std::int64_t{graph_.weights[at]};
      state.gain += part == from ? twice : -twice;
      if (part == from) queues_[part != pair_.first].push({state.gain, ++entered_, next});
    }
  }

  const AffinityGraph& graph_;
  const Shares& shares_;
  Parts& parts_;
  std::vector<State> states_;
  std::vector<double> surplus_;  ///< of each part
  Queue queues_[2];              ///< moves out of the pair's first part, and out of its second
  Pair pair_;
  std::uint32_t round_ = 0;
  std::uint32_t entered_ = 0;
};

}  // namespace

std::uint64_t cut_of(const AffinityGraph& graph, std::span<const std::uint32_t> parts) {
  std::uint64_t cut = 0;
  for (std::size_t vertex = 0; vertex < parts.size(); ++vertex)
    for (std::uint64_t at = graph.begin[vertex]; at < graph.begin[vertex + 1]; ++at)
      if (parts[graph.neighbours[at]] != parts[vertex]) cut += graph.weights[at];
  return cut / 2;
}

void refine_parts(const AffinityGraph& graph, const Shares& shares, Parts& parts) {
  Refinement refinement(graph, shares, parts);
  const auto worth =
      static_cast<std::int64_t>(kWorthAPass * static_cast<double>(cut_of(graph, parts)));
  for (int pass = 0; pass < kPasses; ++pass)
    if (refinement.pass() <= worth) return;
}

}  // namespace Atoll::detail
