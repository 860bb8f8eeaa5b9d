// A map whose keys and values are numbers, bool or ids: Green-Marl's Map<K, V>.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/graph/combine.hpp"
#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

/// Ascending order of keys and of values. 0.0 equals -0.0. NaN is above every number, and all NaNs
/// are equal.
struct MapLess {
  template <class T>
  bool operator()(T a, T b) const noexcept {
    if constexpr (std::is_floating_point_v<T>)
      return a < b || (a == a && b != b);
    else
      return a < b;
  }
};

/// An operation on one key takes O(log size). In a small map, the least and greatest values are
/// found by a scan. A larger map sorts its values on the first such query; later queries take O(1)
/// to O(log size), and the map uses twice the memory. If any thread changes the map, all accesses
/// must hold lock(). After std::bad_alloc the map is unchanged.
template <class K, class V>
class Map {
 public:
  Map() = default;
  Map(const Map& other) : entries_(other.entries_) {}
  Map(Map&& other) noexcept { swap(other); }
  Map& operator=(Map other) noexcept {
    swap(other);
    return *this;
  }
  ~Map() = default;

  /// Returns the key's value, or `missing` if the key isn't present. Doesn't insert the key.
  [[nodiscard]] V get(K key, V missing = V{}) const {
    const auto entry = entries_.find(key);
    return entry == entries_.end() ? missing : entry->second;
  }
  void set(K key, V value) {
    change(key, value, [&](V) { return value; });
  }
  /// Sets all entries of the other map, which must be a different object.
  void set_all(const Map& other) {
    for (const auto& [key, value] : other.entries_) set(key, value);
  }
  void remove(K key) {
    const auto entry = entries_.find(key);
    if (entry == entries_.end()) return;
    if (is_sorted()) by_value_.erase({entry->second, key});
    entries_.erase(entry);
  }
  [[nodiscard]] bool has_key(K key) const { return entries_.contains(key); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  void clear() { *this = Map(); }

  // Combine a key's value with another one, as the functions of combine.hpp do. A missing key
  // starts with the operator's neutral value.
  void combine_sum(K key, V value)
    requires(!std::is_same_v<V, bool>)
  {
    change(key, V{0}, [&](V known) { return detail::wrapping_sum(known, value); });
  }
  void combine_product(K key, V value)
    requires(!std::is_same_v<V, bool>)
  {
    change(key, V{1}, [&](V known) { return detail::wrapping_product(known, value); });
  }
  void combine_min(K key, V value) {
    change(key, kGreatest, [&](V known) { return value < known ? value : known; });
  }
  void combine_max(K key, V value) {
    change(key, kLeast, [&](V known) { return known < value ? value : known; });
  }
  void combine_all(K key, V value)
    requires std::is_same_v<V, bool>
  {
    change(key, V{1}, [&](V known) { return known && value; });
  }
  void combine_any(K key, V value)
    requires std::is_same_v<V, bool>
  {
    change(key, V{0}, [&](V known) { return known || value; });
  }

  // The map must not be empty. Among equal values, the lowest key is returned.
  [[nodiscard]] K min_key() const { return least().first; }
  [[nodiscard]] K max_key() const { return greatest().first; }
  [[nodiscard]] V min_value() const { return least().second; }
  [[nodiscard]] V max_value() const { return greatest().second; }
  /// True if the key is present and no other value is less.
  [[nodiscard]] bool has_min_value(K key) const {
    const auto entry = entries_.find(key);
    return entry != entries_.end() && !MapLess()(min_value(), entry->second);
  }
  /// True if the key is present and no other value is greater.
  [[nodiscard]] bool has_max_value(K key) const {
    const auto entry = entries_.find(key);
    return entry != entries_.end() && !MapLess()(entry->second, max_value());
  }

  /// The entries in ascending order of keys.
  [[nodiscard]] std::vector<std::pair<K, V>> items() const {
    return {entries_.begin(), entries_.end()};
  }

  [[nodiscard]] SpinLock::Guard lock() const { return lock_.guard(); }
  friend bool operator==(const Map& a, const Map& b) { return a.entries_ == b.entries_; }

 private:
  using Limits = std::numeric_limits<V>;
  static constexpr V kGreatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  static constexpr V kLeast = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
  static constexpr std::size_t kSmall = 32;

  struct LessByValue {
    bool operator()(const std::pair<V, K>& a, const std::pair<V, K>& b) const noexcept {
      if (MapLess()(a.first, b.first)) return true;
      return !MapLess()(b.first, a.first) && MapLess()(a.second, b.second);
    }
  };
  using ByValue = std::set<std::pair<V, K>, LessByValue>;

  /// Sets the key's value to changed(value). A missing key starts with `neutral`.
  template <class Changed>
  void change(K key, V neutral, Changed&& changed) {
    const auto [entry, is_new] = entries_.try_emplace(key, neutral);
    const V before = entry->second;
    const V now = changed(before);
    if (is_sorted()) {
      bool differs = false;
      try {
        differs = by_value_.insert({now, key}).second;
      } catch (...) {
        if (is_new) entries_.erase(entry);
        throw;
      }
      if (differs && !is_new) by_value_.erase({before, key});
    }
    entry->second = now;
  }

  void swap(Map& other) noexcept {
    entries_.swap(other.entries_);
    by_value_.swap(other.by_value_);
    sorted_ = other.sorted_.exchange(sorted_);
  }

  [[nodiscard]] bool is_sorted() const { return sorted_.load(std::memory_order_acquire); }
  /// Sorts by value. Several threads may call it concurrently while none changes the map; one of
  /// them sorts.
  void sort() const {
    const auto guard = sorting_.guard();
    if (is_sorted()) return;
    ByValue all;
    for (const auto& [key, value] : entries_) all.insert({value, key});
    by_value_.swap(all);
    sorted_.store(true, std::memory_order_release);
  }
  [[nodiscard]] std::pair<K, V> least() const {
    if (!is_sorted() && size() > kSmall) sort();
    if (is_sorted()) return {by_value_.begin()->second, by_value_.begin()->first};
    return *std::ranges::min_element(entries_, MapLess(), &Entry::second);
  }
  [[nodiscard]] std::pair<K, V> greatest() const {
    if (!is_sorted() && size() > kSmall) sort();
    if (!is_sorted()) return *std::ranges::max_element(entries_, MapLess(), &Entry::second);
    // Finds the first entry with the greatest value, by searching for the map's lowest key.
    const auto entry = by_value_.lower_bound({by_value_.rbegin()->first, entries_.begin()->first});
    return {entry->second, entry->first};
  }

  using Entry = std::pair<const K, V>;
  std::map<K, V, MapLess> entries_;
  mutable ByValue by_value_;  ///< all entries, if `sorted_`
  mutable std::atomic<bool> sorted_{false};
  SpinLock sorting_, lock_;
};

}  // namespace Atoll::graph
