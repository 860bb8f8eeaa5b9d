// Communication for the HTML report: pairs in columns, and an order of the threads that makes
// groups visible.
#include <algorithm>
#include <numeric>

#include "atoll/base/json.hpp"
#include "profile/html_parts.hpp"

namespace Atoll::profile {
namespace {

/// Returns the communication between blocks of `block` consecutive threads. The diagonal has the
/// communication inside each block.
Communication of_blocks(const Communication& pairs, std::uint32_t block) {
  Communication blocks;
  for (const auto& [pair, amount] : pairs)
    blocks[{pair.first / block, pair.second / block}] += amount;
  return blocks;
}

/// Returns the communication between nodes. The diagonal has the communication between threads of
/// one node.
Communication of_nodes(const Communication& pairs, const Places& places) {
  Communication nodes;
  for (const auto& [pair, amount] : pairs) {
    const auto first = static_cast<std::uint32_t>(places.nodes_of_threads[pair.first]);
    const auto second = static_cast<std::uint32_t>(places.nodes_of_threads[pair.second]);
    nodes[{std::min(first, second), std::max(first, second)}] += amount;
  }
  return nodes;
}

std::string packed(const Communication& pairs) {
  std::string plain;
  put_varint(plain, pairs.size());
  std::uint32_t row = 0;
  for (const auto& [pair, amount] : pairs) {
    put_varint(plain, pair.first - row);
    row = pair.first;
  }
  for (const auto& [pair, amount] : pairs) put_varint(plain, pair.second);
  for (const auto& [pair, amount] : pairs) put_varint(plain, amount);
  return deflated(plain);
}

/// Clusters of threads, numbered by their first thread. `sums_` has the communication between
/// clusters, as sums over pairs of threads.
class Clusters {
 public:
  explicit Clusters(const CommunicationMatrix& matrix)
      : matrix_(matrix), sums_(matrix), threads_(matrix.threads()) {
    for (std::uint32_t i = 0; i < threads_.size(); ++i) threads_[i] = {i};
  }

  [[nodiscard]] double mean(std::size_t a, std::size_t b) const {
    return sums_.at(a, b) / static_cast<double>(threads_[a].size() * threads_[b].size());
  }

  /// Merges `b` into `a`.
  void merge(std::size_t a, std::size_t b) {
    auto &left = threads_[a], &right = threads_[b];
    const auto at = [&](std::uint32_t i, std::uint32_t j) { return matrix_.at(i, j); };
    const double ways[] = {at(left.back(), right.front()), at(left.back(), right.back()),
                           at(left.front(), right.front()), at(left.front(), right.back())};
    const auto best = std::ranges::max_element(ways) - std::begin(ways);
    if (best >= 2) std::ranges::reverse(left);
    if (best % 2 == 1) std::ranges::reverse(right);
    left.insert(left.end(), right.begin(), right.end());
    right.clear();
    for (std::size_t other = 0; other < threads_.size(); ++other)
      if (other != a && !threads_[other].empty())
        sums_.set(a, other, sums_.at(a, other) + sums_.at(b, other));
  }

  [[nodiscard]] const std::vector<std::uint32_t>& of(std::size_t cluster) const {
    return threads_[cluster];
  }

 private:
  const CommunicationMatrix& matrix_;
  CommunicationMatrix sums_;
  std::vector<std::vector<std::uint32_t>> threads_;
};

}  // namespace

std::vector<std::uint32_t> affinity_order(const CommunicationMatrix& matrix) {
  std::vector<std::size_t> alive;
  std::vector<std::uint32_t> order, alone;
  for (std::uint32_t i = 0; i < matrix.threads(); ++i)
    matrix.of(i) > 0 ? alive.push_back(i) : alone.push_back(i);
  Clusters clusters(matrix);
  std::vector<std::size_t> chain;  // nearest-neighbour chain; quadratic time in total
  while (alive.size() > 1) {
    if (chain.empty()) chain.push_back(alive.front());
    const std::size_t last = chain.back();
    const std::size_t before = chain.size() > 1 ? chain[chain.size() - 2] : last;
    std::size_t nearest = before;
    double most = before == last ? -1 : clusters.mean(last, before);
    for (const std::size_t other : alive)
      if (other != last && clusters.mean(last, other) > most) {
        most = clusters.mean(last, other);
        nearest = other;
      }
    if (nearest != before || before == last) {
      chain.push_back(nearest);
      continue;
    }
    clusters.merge(std::min(last, before), std::max(last, before));
    std::erase(alive, std::max(last, before));
    chain.resize(chain.size() - 2);
  }
  if (!alive.empty()) order = clusters.of(alive.front());
  if (!order.empty() && order.front() > order.back()) std::ranges::reverse(order);
  order.insert(order.end(), alone.begin(), alone.end());
  return order;
}

Json html_communication(const Profile& profile, const Places& places, std::size_t bytes,
                        HtmlData& data) {
  for (std::uint32_t block = 1;; block *= 2) {
    const Communication all = of_blocks(profile.communication, block);
    const std::string pairs = packed(all);
    const std::string writes = packed(of_blocks(profile.write_communication, block));
    if (pairs.size() + writes.size() > bytes) continue;
    CommunicationMatrix matrix((communication_of(profile).threads() + block - 1) / block);
    for (const auto& [pair, amount] : all)
      if (pair.first != pair.second)
        matrix.set(pair.first, pair.second, static_cast<double>(amount));
    return {
        {"block", block},
        {"all", to_json(data.add(pairs))},
        {"writes", to_json(data.add(writes))},
        {"all_nodes", to_json(data.add(packed(of_nodes(profile.communication, places))))},
        {"writes_nodes", to_json(data.add(packed(of_nodes(profile.write_communication, places))))},
        {"order", affinity_order(matrix)}};
  }
}

}  // namespace Atoll::profile
