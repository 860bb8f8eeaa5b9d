// Reductions: values that loops combine over all their points. The result has the same bits for any
// tiles, threads and modes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

class Program;

/// Combining operation.
enum class ReduceOp { min, max, sum };

/// The values of a reduction, independent of their type. Owned by its program.
class ReductionStorage {
 public:
  ReductionStorage(Program& program, ElementType type, int count)
      : program_(&program), type_(type), count_(count), values_(static_cast<std::size_t>(count)) {}
  ReductionStorage(const ReductionStorage&) = delete;
  ReductionStorage& operator=(const ReductionStorage&) = delete;

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] int count() const { return count_; }
  /// Raw values, eight bytes each.
  [[nodiscard]] std::vector<std::uint64_t>& values() { return values_; }

  /// Operation of all loops since the last value() or record(); set by queueing.
  ReduceOp op = ReduceOp::sum;
  bool used = false;     ///< true if a loop was queued since the last value() or record()
  bool started = false;  ///< true if a loop was run since then
  int records = 0;       ///< number of record() calls in the queued chain
  /// Values stored by record(): count() for each call.
  std::vector<std::uint64_t> series;

 private:
  Program* program_;
  ElementType type_;
  int count_;
  std::vector<std::uint64_t> values_;
};

namespace detail {
/// Runs the queued loops. Throws Error (input) if no loop that reduces to it was queued.
const std::uint64_t* reduced_values(ReductionStorage& reduction, int which);
/// Queues a copy of the values to the series.
void record_values(ReductionStorage& reduction);
/// Runs the queued loops. Throws Error (input) if the reduction has no such value.
const std::vector<std::uint64_t>& recorded_values(ReductionStorage& reduction, int which);
}  // namespace detail

/// A handle of one or several values that loops reduce to. All loops queued between two calls of
/// value() contribute, in order; the first loop queued after a call restarts from the neutral
/// element. Minimum and maximum ignore NaN and return +0 for both zeros. A sum adds the points of
/// fixed blocks of rows first, then the blocks in order.
template <Element T>
class Reduction {
 public:
  Reduction() = default;
  explicit Reduction(ReductionStorage& storage) : storage_(&storage) {}

  /// Throws Error (input) if the handle was default-constructed; so do all other functions.
  [[nodiscard]] ReductionStorage& storage() const {
    if (storage_ == nullptr) [[unlikely]]
      detail::refuse_handle("reduction");
    return *storage_;
  }
  /// Runs the queued loops and returns one of the values. Throws Error (input) if no loop was
  /// queued since the last restart, or the reduction has no such value.
  [[nodiscard]] T value(int which = 0) const {
    return *reinterpret_cast<const T*>(detail::reduced_values(storage(), which) + which);
  }
  /// Appends the values of all loops queued so far to the series, and restarts as value() does, but
  /// doesn't run the queue: the chain continues. Throws Error (input) if no loop was queued since
  /// the last restart.
  void record() const { detail::record_values(storage()); }
  /// Runs the queued loops and returns one of the values of each record() so far, in order. Throws
  /// Error (input) if the reduction has no such value.
  [[nodiscard]] std::vector<T> series(int which = 0) const {
    const std::vector<std::uint64_t>& words = detail::recorded_values(storage(), which);
    std::vector<T> values;
    for (auto at = static_cast<std::size_t>(which); at < words.size();
         at += static_cast<std::size_t>(storage_->count()))
      values.push_back(*reinterpret_cast<const T*>(&words[at]));
    return values;
  }
  /// Runs the queued loops and clears the series.
  void clear_series() const {
    (void)detail::recorded_values(storage(), 0);
    storage_->series.clear();
  }

 private:
  ReductionStorage* storage_ = nullptr;
};

}  // namespace Atoll::stencil
