// A set of nodes. Up to a number of nodes they lie sorted in an array; beyond, in a table of bits
// when that is smaller, so that a set never takes more than its nodes or a bit for each node up to
// the greatest, and a little. One thread at a time may use a set that any thread changes: lock() is
// there for that.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

template <class Node>
class NodeSet {
 public:
  /// O(1) among bits; in an array, O(log size) to find the place and O(size) to make room, at most
  /// kArray of them.
  void add(Node node) {
    if (!bits_.empty()) return add_bit(node);
    const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), node);
    if (place != sorted_.end() && *place == node) return;
    sorted_.insert(place, node);
    if (sorted_.size() > kArray) to_bits();
  }

  /// A node that isn't in the set changes nothing.
  void remove(Node node) {
    if (!bits_.empty()) {
      if (!has(node)) return;
      bits_[node / 64] &= ~(std::uint64_t{1} << (node % 64));
      --size_;
      return;
    }
    const auto place = std::lower_bound(sorted_.begin(), sorted_.end(), node);
    if (place != sorted_.end() && *place == node) sorted_.erase(place);
  }

  [[nodiscard]] bool has(Node node) const {
    if (bits_.empty()) return std::binary_search(sorted_.begin(), sorted_.end(), node);
    const std::size_t word = node / 64;
    return word < bits_.size() && (bits_[word] >> (node % 64) & 1) != 0;
  }

  [[nodiscard]] std::size_t size() const { return bits_.empty() ? sorted_.size() : size_; }
  [[nodiscard]] bool empty() const { return size() == 0; }
  void clear() { *this = NodeSet(); }

  /// Adds the other's nodes. O(size of both), as are the next two.
  void unite(const NodeSet& other) {
    const std::vector<Node> mine = items(), theirs = other.items();
    std::vector<Node> both;
    both.reserve(mine.size() + theirs.size());
    std::set_union(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                   std::back_inserter(both));
    assign(std::move(both));
  }

  /// Keeps what the other has, too.
  void intersect(const NodeSet& other) {
    keep([&](Node node) { return other.has(node); });
  }

  /// Keeps what the other does not have.
  void subtract(const NodeSet& other) {
    keep([&](Node node) { return !other.has(node); });
  }

  [[nodiscard]] bool is_subset_of(const NodeSet& other) const {
    const std::vector<Node> mine = items();
    return std::all_of(mine.begin(), mine.end(), [&](Node node) { return other.has(node); });
  }

  /// The nodes in ascending order.
  [[nodiscard]] std::vector<Node> items() const {
    if (bits_.empty()) return sorted_;
    std::vector<Node> nodes;
    nodes.reserve(size_);
    for (std::size_t word = 0; word < bits_.size(); ++word)
      for (std::uint64_t rest = bits_[word]; rest != 0; rest &= rest - 1)
        nodes.push_back(
            static_cast<Node>(word * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
    return nodes;
  }

  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const NodeSet& a, const NodeSet& b) { return a.items() == b.items(); }

 private:
  static constexpr std::size_t kArray = 128;

  void add_bit(Node node) {
    const std::size_t word = node / 64;
    if (word >= bits_.size()) bits_.resize(std::max<std::size_t>(word + 1, bits_.size() * 5 / 4));
    const std::uint64_t bit = std::uint64_t{1} << (node % 64);
    size_ += (bits_[word] & bit) == 0;
    bits_[word] |= bit;
  }

  void to_bits() {
    std::vector<Node> nodes = std::move(sorted_);
    sorted_ = {};
    bits_.assign(nodes.empty() ? 1 : nodes.back() / 64 + 1, 0);
    size_ = 0;
    for (const Node node : nodes) add_bit(node);
  }

  void assign(std::vector<Node> ascending) {
    bits_ = {};
    size_ = 0;
    sorted_ = std::move(ascending);
    if (sorted_.size() > kArray) to_bits();
  }

  template <class Keep>
  void keep(Keep&& keeps) {
    std::vector<Node> nodes = items();
    std::erase_if(nodes, [&](Node node) { return !keeps(node); });
    assign(std::move(nodes));
  }

  std::vector<Node> sorted_;
  std::vector<std::uint64_t> bits_;  ///< used if it isn't empty
  std::size_t size_ = 0;             ///< of bits
  SpinLock lock_;
};

}  // namespace Atoll::graph
