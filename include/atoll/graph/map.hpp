// A map of numbers, truth values and ids. Keys are compared with <; a key that is NaN is refused by
// nobody and found by nobody. Reading, writing and removing an entry is O(log size), finding the
// least and greatest value O(size). lock() is for threads that share a map.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

template <class K, class V>
class Map {
 public:
  /// The key's value, or `missing`; the key isn't entered.
  [[nodiscard]] V get(K key, V missing) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() ? missing : entry->second;
  }
  void set(K key, V value) { entries_[key] = value; }
  void remove(K key) { entries_.erase(key); }
  [[nodiscard]] bool has_key(K key) const { return entries_.contains(key); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void clear() { entries_.clear(); }

  // Combine a key's value with another; a missing key is entered with the neutral value before.
  void combine_sum(K key, V value) { at(key, V{0}) += value; }
  void combine_product(K key, V value) {
    V& known = at(key, V{1});
    known = static_cast<V>(known * value);
  }
  void combine_min(K key, V value) {
    V& known = at(key, value);
    known = std::min(known, value);
  }
  void combine_max(K key, V value) {
    V& known = at(key, value);
    known = std::max(known, value);
  }
  void combine_all(K key, V value) {
    V& known = at(key, V{1});
    known = known && value;
  }
  void combine_any(K key, V value) {
    V& known = at(key, V{0});
    known = known || value;
  }

  // The map isn't empty. Of equal values the lowest key counts.
  [[nodiscard]] K min_key() const { return least()->first; }
  [[nodiscard]] K max_key() const { return greatest()->first; }
  [[nodiscard]] V min_value() const { return least()->second; }
  [[nodiscard]] V max_value() const { return greatest()->second; }
  /// True if the key is there and no value is less than its.
  [[nodiscard]] bool has_min_value(K key) const {
    const auto entry = entries_.find(key);
    return entry != entries_.end() && !(min_value() < entry->second);
  }
  /// True if the key is there and no value is greater than its.
  [[nodiscard]] bool has_max_value(K key) const {
    const auto entry = entries_.find(key);
    return entry != entries_.end() && !(entry->second < max_value());
  }

  /// Keys and values in ascending order of keys.
  [[nodiscard]] std::vector<std::pair<K, V>> items() const {
    return {entries_.begin(), entries_.end()};
  }

  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const Map&, const Map&) = default;

 private:
  V& at(K key, V neutral) { return entries_.try_emplace(key, neutral).first->second; }
  [[nodiscard]] auto least() const {
    return std::min_element(entries_.begin(), entries_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  }
  [[nodiscard]] auto greatest() const {
    return std::max_element(entries_.begin(), entries_.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  }

  std::map<K, V> entries_;
  SpinLock lock_;
};

}  // namespace Atoll::graph
