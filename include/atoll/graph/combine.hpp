// Reading, writing and combining elements that several threads reach at the same time: each happens
// whole, in some order. The elements are plain memory; only these accesses are atomic. Types are
// bool, integers of 32 and 64 bits, float and double.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

template <class T>
[[nodiscard]] T load(const T& element) {
  return __atomic_load_n(&element, __ATOMIC_RELAXED);
}
template <>
[[nodiscard]] inline float load(const float& element) {
  return std::atomic_ref(const_cast<float&>(element)).load(std::memory_order_relaxed);
}
template <>
[[nodiscard]] inline double load(const double& element) {
  return std::atomic_ref(const_cast<double&>(element)).load(std::memory_order_relaxed);
}

template <class T, class Value>
void store(T& element, Value value) {
  std::atomic_ref(element).store(static_cast<T>(value), std::memory_order_relaxed);
}

namespace detail {

/// element = combined(element), unless that changes nothing.
template <class T, class Combined>
void change(T& element, Combined&& combined) {
  std::atomic_ref shared(element);
  T known = shared.load(std::memory_order_relaxed);
  for (T wanted = combined(known);
       wanted != known && !shared.compare_exchange_weak(known, wanted, std::memory_order_relaxed);
       wanted = combined(known)) {
  }
}

}  // namespace detail

/// Integers wrap round.
template <class T>
void combine_sum(T& element, T value) {
  std::atomic_ref(element).fetch_add(value, std::memory_order_relaxed);
}
template <class T>
void combine_product(T& element, T value) {
  detail::change(element, [&](T known) { return static_cast<T>(known * value); });
}
template <class T>
void combine_min(T& element, T value) {
  detail::change(element, [&](T known) { return value < known ? value : known; });
}
template <class T>
void combine_max(T& element, T value) {
  detail::change(element, [&](T known) { return known < value ? value : known; });
}
template <class T>
void combine_all(T& element, T value) {
  if (!value) store(element, false);
}
template <class T>
void combine_any(T& element, T value) {
  if (value) store(element, true);
}

/// Locks for elements of arrays, a few thousand for all: two elements may share one. A thread holds
/// one at a time.
class ElementLocks {
 public:
  [[nodiscard]] SpinLock::Guard guard(const void* element) const {
    const auto address = reinterpret_cast<std::uintptr_t>(element);
    return locks_[(address / 4 * 0x9E3779B97F4A7C15ULL) >> 52].guard();
  }

 private:
  std::array<SpinLock, 4096> locks_;
};

/// The process's.
[[nodiscard]] inline ElementLocks& element_locks() {
  static ElementLocks locks;
  return locks;
}

}  // namespace Atoll::graph
