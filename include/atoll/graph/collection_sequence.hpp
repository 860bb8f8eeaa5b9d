// A sequence of collections. lock() is for threads that share it.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>

#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

/// A sequence of collections, which may differ in size.
template <class Collection>
class CollectionSequence {
 public:
  /// Appends a copy.
  void push_back(const Collection& collection) { collections_.push_back(collection); }
  /// Removes and returns the last collection. The sequence must not be empty.
  Collection pop_back() {
    Collection last = std::move(collections_.back());
    collections_.pop_back();
    return last;
  }
  [[nodiscard]] std::size_t size() const { return collections_.size(); }
  [[nodiscard]] bool empty() const { return collections_.empty(); }
  void clear() { collections_.clear(); }
  [[nodiscard]] auto begin() { return collections_.begin(); }
  [[nodiscard]] auto end() { return collections_.end(); }
  [[nodiscard]] auto begin() const { return collections_.begin(); }
  [[nodiscard]] auto end() const { return collections_.end(); }

  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const CollectionSequence&, const CollectionSequence&) = default;

 private:
  std::deque<Collection> collections_;
  SpinLock lock_;
};

}  // namespace Atoll::graph
