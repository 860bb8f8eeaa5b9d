// A set of nodes: Green-Marl's Node_Set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "atoll/graph/chunked_set.hpp"
#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

/// A set of nodes, visited in ascending order of ids. An empty set takes 40 bytes, so a property
/// can hold a set for each node. Up to kFew nodes take the size of an id each. Larger sets take 2
/// bytes a node, and at most about one bit for each id up to the greatest one (see ChunkedSet).
/// Operations with one node take O(log(size)). Operations with another set, which may be this one,
/// take about the sum of both sizes.
/// After std::bad_alloc the set is valid and unchanged, except that unite() may have added some
/// nodes.
template <class Node>
class NodeSet {
 public:
  NodeSet() = default;
  NodeSet(const NodeSet& other)
      : few_(other.few_),
        many_(other.many_ ? std::make_unique<ChunkedSet>(*other.many_) : nullptr) {}
  NodeSet(NodeSet&& other) noexcept
      : few_(std::exchange(other.few_, {})), many_(std::move(other.many_)) {}
  NodeSet& operator=(NodeSet other) noexcept {
    few_.swap(other.few_);
    many_.swap(other.many_);
    return *this;
  }
  ~NodeSet() = default;

  [[nodiscard]] std::size_t size() const noexcept { return many_ ? many_->size() : few_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] bool has(Node node) const noexcept {
    return many_ ? many_->has(node) : std::ranges::binary_search(few_, node);
  }

  /// Returns false if the node is already a member.
  bool add(Node node) {
    if (many_) return many_->add(node);
    const auto at = std::ranges::lower_bound(few_, node);
    if (at != few_.end() && *at == node) return false;
    if (few_.size() < kFew) {
      few_.insert(at, node);
      return true;
    }
    become_many();
    return many_->add(node);
  }
  /// Returns false if the node isn't a member.
  bool remove(Node node) {
    if (many_) return many_->remove(node);
    const auto at = std::ranges::lower_bound(few_, node);
    if (at == few_.end() || *at != node) return false;
    few_.erase(at);
    return true;
  }
  /// Removes all nodes and releases the memory.
  void clear() noexcept { *this = NodeSet(); }

  /// Adds all nodes of the other set.
  void unite(const NodeSet& other) {
    if (this == &other) return;
    if (!other.many_) {
      for (const Node node : other.few_) add(node);
    } else {
      if (!many_) become_many();
      many_->unite(*other.many_);
    }
  }
  /// Removes all nodes that aren't in the other set.
  void intersect(const NodeSet& other) {
    if (this == &other) return;
    if (!many_) {
      std::erase_if(few_, [&](Node node) { return !other.has(node); });
    } else if (!other.many_) {
      NodeSet both = other;
      both.intersect(*this);
      *this = std::move(both);
    } else {
      many_->intersect(*other.many_);
    }
  }
  /// Removes all nodes that are in the other set (Green-Marl's Complement).
  void subtract(const NodeSet& other) {
    if (this == &other) return clear();
    if (!many_)
      std::erase_if(few_, [&](Node node) { return other.has(node); });
    else if (!other.many_)
      for (const Node node : other.few_) many_->remove(node);
    else
      many_->subtract(*other.many_);
  }
  /// True if all nodes are in the other set. Also true for an empty set and for the set itself.
  [[nodiscard]] bool is_subset_of(const NodeSet& other) const {
    if (size() > other.size()) return false;
    if (many_ && other.many_) return many_->is_subset_of(*other.many_);
    return std::ranges::all_of(items(), [&](Node node) { return other.has(node); });
  }

  /// Returns a copy of the nodes, ascending.
  [[nodiscard]] std::vector<Node> items() const {
    if (!many_) return few_;
    std::vector<Node> all;
    all.reserve(size());
    for_each([&](Node node) { all.push_back(node); });
    return all;
  }
  /// Calls visit(node) for all nodes, ascending. `visit` must not change the set.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Node node : few_) visit(node);
    if (many_) many_->for_each([&](std::uint64_t node) { visit(static_cast<Node>(node)); });
  }
  /// Needed if threads share the set while some of them change it.
  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const NodeSet& a, const NodeSet& b) {
    return a.size() == b.size() && a.is_subset_of(b);
  }

  static constexpr std::size_t kFew = 128;

 private:
  void become_many() {
    auto many = std::make_unique<ChunkedSet>();
    for (const Node node : few_) many->add(node);
    many_ = std::move(many);
    few_ = {};
  }

  std::vector<Node> few_;  ///< ascending; all nodes while `many_` is null
  std::unique_ptr<ChunkedSet> many_;
  SpinLock lock_;
};

}  // namespace Atoll::graph
