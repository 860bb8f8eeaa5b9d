// Atomic reads, writes and updates of elements that several threads share. Element types are bool,
// integers of 32 and 64 bits, float and double. The elements are plain memory; only these accesses
// are atomic, with relaxed memory order.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "atoll/base/hash.hpp"
#include "atoll/graph/spin_lock.hpp"

namespace Atoll::graph {

template <class T>
[[nodiscard]] T load(const T& element) {
  return std::atomic_ref(const_cast<T&>(element)).load(std::memory_order_relaxed);
}
template <class T, class Value>
void store(T& element, Value value) {
  std::atomic_ref(element).store(static_cast<T>(value), std::memory_order_relaxed);
}

namespace detail {

/// Return a + b and a * b; integer overflow wraps.
template <class T>
[[nodiscard]] T wrapping_sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}
template <class T>
[[nodiscard]] T wrapping_product(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

/// Atomically sets element = combined(element), unless wanted(element) is false.
template <class T, class Wanted, class Combined>
void change(T& element, Wanted&& wanted, Combined&& combined) {
  const std::atomic_ref shared(element);
  T known = shared.load(std::memory_order_relaxed);
  while (wanted(known) &&
         !shared.compare_exchange_weak(known, combined(known), std::memory_order_relaxed)) {
  }
}

}  // namespace detail

/// Integer overflow wraps. Floating-point sums and products are rounded at each step, so they
/// depend on the order of the threads' updates.
template <class T>
void combine_sum(T& element, std::type_identity_t<T> value) {
  std::atomic_ref(element).fetch_add(value, std::memory_order_relaxed);
}
template <class T>
void combine_product(T& element, std::type_identity_t<T> value) {
  detail::change(
      element, [](T) { return true; },
      [&](T known) { return detail::wrapping_product(known, value); });
}
/// A NaN value changes nothing, and a NaN element stays NaN.
template <class T>
void combine_min(T& element, std::type_identity_t<T> value) {
  detail::change(
      element, [&](T known) { return value < known; }, [&](T) { return value; });
}
template <class T>
void combine_max(T& element, std::type_identity_t<T> value) {
  detail::change(
      element, [&](T known) { return known < value; }, [&](T) { return value; });
}
template <class T>
void combine_all(T& element, std::type_identity_t<T> value) {
  if (!value) store(element, false);
}
template <class T>
void combine_any(T& element, std::type_identity_t<T> value) {
  if (value) store(element, true);
}

/// Locks for array elements. All elements share 4096 locks, so two elements may have the same lock.
/// A thread must hold at most one lock at a time.
class ElementLocks {
 public:
  [[nodiscard]] SpinLock::Guard guard(const void* element) const {
    const auto address = reinterpret_cast<std::uintptr_t>(element);
    return locks_[golden_hash(address / 4) >> 52].guard();
  }

 private:
  std::array<SpinLock, 4096> locks_;
};

/// The locks of this process.
[[nodiscard]] inline ElementLocks& element_locks() {
  static ElementLocks locks;
  return locks;
}

}  // namespace Atoll::graph
