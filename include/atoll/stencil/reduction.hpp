// Reductions: values that loops combine from all their points. They have the same bits for any
// tiles, threads and modes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "atoll/stencil/field.hpp"

namespace Atoll::stencil {

class Program;

/// How values are combined.
enum class ReduceOp { min, max, sum };

/// The values of a reduction, whatever their type. It belongs to its program.
class ReductionStorage {
 public:
  ReductionStorage(Program& program, ElementType type, int count)
      : program_(&program), type_(type), count_(count), values_(static_cast<std::size_t>(count)) {}
  ReductionStorage(const ReductionStorage&) = delete;
  ReductionStorage& operator=(const ReductionStorage&) = delete;

  [[nodiscard]] Program& program() const { return *program_; }
  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] int count() const { return count_; }
  /// The values' bytes, eight for each.
  [[nodiscard]] std::vector<std::uint64_t>& values() { return values_; }

  /// Set by queueing: the operation of all loops since the last value() or record().
  ReduceOp op = ReduceOp::sum;
  bool used = false;     ///< a loop was queued since the last value() or record()
  bool started = false;  ///< a loop was run since then
  int records = 0;       ///< record() was called so often in the chain that waits
  /// Values that record() has kept: count() for each call.
  std::vector<std::uint64_t> series;

 private:
  Program* program_;
  ElementType type_;
  int count_;
  std::vector<std::uint64_t> values_;
};

namespace detail {
/// Runs what is queued; throws Error (input) if no loop was queued that gives a value.
const std::uint64_t* reduced_values(ReductionStorage& reduction, int which);
/// Queues that the values are added to the series.
void record_values(ReductionStorage& reduction);
/// Runs what is queued; throws Error (input) if the reduction has no such value.
const std::vector<std::uint64_t>& recorded_values(ReductionStorage& reduction, int which);
}  // namespace detail

/// A handle of one or several values that loops reduce to. All loops that are queued between two
/// calls of value() count together, in their order; the first loop that is queued after a call
/// starts anew. The minimum and maximum leave out values that aren't numbers (NaN), and give +0 for
/// either zero. A sum adds the points of fixed blocks of rows, and then the blocks in their order.
template <Element T>
class Reduction {
 public:
  Reduction() = default;
  explicit Reduction(ReductionStorage& storage) : storage_(&storage) {}

  /// Throws Error (input) if the handle was default-constructed, as everything else does.
  [[nodiscard]] ReductionStorage& storage() const {
    if (storage_ == nullptr) [[unlikely]]
      detail::refuse_handle("reduction");
    return *storage_;
  }
  /// Runs what is queued, and returns one of the values. Throws Error (input) if no loop was queued
  /// since the values were last started anew, or for a value that the reduction doesn't have.
  [[nodiscard]] T value(int which = 0) const {
    return *reinterpret_cast<const T*>(detail::reduced_values(storage(), which) + which);
  }
  /// Adds the values of all loops queued so far to the series, and starts anew, as value() does,
  /// but runs nothing: the chain continues. Throws Error (input) if no loop was queued since the
  /// values were last started anew.
  void record() const { detail::record_values(storage()); }
  /// Runs what is queued, and returns one of the values of each record() so far, in their order.
  /// Throws Error (input) for a value that the reduction doesn't have.
  [[nodiscard]] std::vector<T> series(int which = 0) const {
    const std::vector<std::uint64_t>& words = detail::recorded_values(storage(), which);
    std::vector<T> values;
    for (auto at = static_cast<std::size_t>(which); at < words.size();
         at += static_cast<std::size_t>(storage_->count()))
      values.push_back(*reinterpret_cast<const T*>(&words[at]));
    return values;
  }
  /// Forgets what record() has kept; runs what is queued before.
  void clear_series() const {
    (void)detail::recorded_values(storage(), 0);
    storage_->series.clear();
  }

 private:
  ReductionStorage* storage_ = nullptr;
};

}  // namespace Atoll::stencil
