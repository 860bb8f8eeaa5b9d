// Arguments of a loop, in the order of its kernel's parameters: fields and their access, scalars,
// the point's index, reductions.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "atoll/stencil/accessors.hpp"
#include "atoll/stencil/checker.hpp"
#include "atoll/stencil/shape.hpp"
#include "atoll/stencil/worker.hpp"

namespace Atoll::stencil {

/// A kernel's access to a field.
enum class AccessMode : std::uint8_t {
  read,        ///< reads at the stencil's offsets
  write,       ///< always writes the point itself and doesn't read it
  read_write,  ///< reads at the stencil's offsets, and may write the point itself
  increment,   ///< adds to the point itself
};

/// Returns "read", "write", "read-write" or "increment".
[[nodiscard]] std::string_view to_string(AccessMode access);

/// A field as an argument; created by read(), write(), read_write() or increment().
template <class T, bool kColumn, AccessMode kAccess>
struct FieldArgument {
  FieldStorage* field;
  Stencil stencil;  ///< offsets that the kernel accesses
};
/// A scalar as an argument; created by value().
template <class T>
struct ValueArgument {
  T value;  ///< value when the loop was queued
};
/// The point's index as an argument; created by index().
struct IndexArgument {};
/// A reduction as an argument; created by reduce_min(), reduce_max() or reduce_sum().
template <class T, ReduceOp kOp>
struct ReduceArgument {
  ReductionStorage* reduction;
};

/// The kernel reads the field; `u(1,0)` is const.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, AccessMode::read> read(const Field<T, kColumn>& field,
                                                               Stencil stencil = {}) {
  return {&field.storage(), stencil};
}
/// The kernel writes the field at its own point and doesn't read it: `v(0,0) = …`.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, AccessMode::write> write(const Field<T, kColumn>& field) {
  return {&field.storage(), {}};
}
/// The kernel reads the field at the stencil's offsets and may write it at its own point. Points
/// run in any order, so a point must not read a value that another point writes: if the stencil has
/// other points, the loop must write one part of the field and read another, as mirrors do.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, AccessMode::read_write> read_write(
    const Field<T, kColumn>& field, Stencil stencil = {}) {
  return {&field.storage(), stencil};
}
/// The kernel adds to the field at its own point: `v(0,0) += …`.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, AccessMode::increment> increment(
    const Field<T, kColumn>& field) {
  return {&field.storage(), {}};
}
/// A scalar with its present value. Equivalent to a capture by value.
template <class T>
[[nodiscard]] ValueArgument<T> value(T scalar) {
  return {std::move(scalar)};
}
/// The point's Index.
[[nodiscard]] inline IndexArgument index() {
  return {};
}
/// The kernel calls `r(value)`; the reduction keeps the minimum.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::min> reduce_min(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}
/// The kernel calls `r(value)`; the reduction keeps the maximum.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::max> reduce_max(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}
/// The kernel calls `r(value)`; the reduction adds the values up.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::sum> reduce_sum(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}

namespace detail {

/// A field in one row of points: pointer to x = 0, and strides.
template <class T, bool kColumn>
struct FieldRow {
  PointAccess<T, kColumn> zero;
  [[gnu::always_inline]] PointAccess<T, kColumn> at(int x) const {
    return {zero.at + (kColumn ? 0 : x), zero.stride_y, zero.stride_z, zero.stride_component};
  }
};
template <class T>
struct ValueRow {
  T value;
  [[gnu::always_inline]] const T& at(int) const { return value; }
};
struct IndexRow {
  int y, z;
  [[gnu::always_inline]] Index at(int x) const { return {x, y, z}; }
};
template <class T, ReduceOp kOp>
struct ReduceRow {
  T* buffer;  ///< address for x = 0
  unsigned count;
  mutable std::uint64_t beyond = 0;  ///< counts accesses to values that don't exist
  [[gnu::always_inline]] PointReduce<T, kOp> at(int x) const {
    return {buffer + x, kBlock, count, &beyond};
  }
};

/// Throws Error (input) if the kernel accessed a value that the reduction doesn't have.
template <class Row>
[[gnu::always_inline]] inline void check_row(const Row&, const Worker&) {}
template <class T, ReduceOp kOp>
[[gnu::always_inline]] inline void check_row(const ReduceRow<T, kOp>& row, const Worker& worker) {
  if (row.beyond != 0) [[unlikely]]
    refuse_values(worker.loop, row.count);
}

// A queued argument. row() makes the accessor for a row of points, checked() the accessor for one
// point in checked mode. `kReductions` is the number of reductions in the argument.

template <class T, bool kColumn, AccessMode kAccess>
struct Bound<FieldArgument<T, kColumn, kAccess>> {
  using Value = std::conditional_t<kAccess == AccessMode::read, const T, T>;
  static constexpr int kReductions = 0;
  FieldStorage* field;
  int number;  ///< index among the loop's fields

  Bound(const FieldArgument<T, kColumn, kAccess>& argument, int& fields, int&)
      : field(argument.field), number(fields++) {}
  [[nodiscard]] FieldRow<Value, kColumn> row(Worker& worker, int y, int z, int) const {
    const std::ptrdiff_t sy = field->stride_y(), sz = field->stride_z();
    return {{reinterpret_cast<Value*>(worker.origins[number]) + y * sy + z * sz, sy, sz,
             field->stride_component()}};
  }
  [[nodiscard]] CheckedPoint<Value> checked(Checker& checker, const Index&) const {
    return {&checker, number, 0};
  }
};
template <class T>
struct Bound<ValueArgument<T>> {
  static constexpr int kReductions = 0;
  T value;
  Bound(const ValueArgument<T>& argument, int&, int&) : value(argument.value) {}
  [[nodiscard]] ValueRow<T> row(Worker&, int, int, int) const { return {value}; }
  [[nodiscard]] const T& checked(Checker&, const Index&) const { return value; }
};
template <>
struct Bound<IndexArgument> {
  static constexpr int kReductions = 0;
  Bound(const IndexArgument&, int&, int&) {}
  [[nodiscard]] IndexRow row(Worker&, int y, int z, int) const { return {y, z}; }
  [[nodiscard]] Index checked(Checker&, const Index& at) const { return at; }
};
template <class T, ReduceOp kOp>
struct Bound<ReduceArgument<T, kOp>> {
  static constexpr int kReductions = 1;
  int number;  ///< index among the loop's reductions
  int count;   ///< number of values
  Bound(const ReduceArgument<T, kOp>& argument, int&, int& reductions)
      : number(reductions++), count(argument.reduction->count()) {}
  [[nodiscard]] ReduceRow<T, kOp> row(Worker& worker, int, int, int x) const {
    return {worker.buffer<T>(number) - x, static_cast<unsigned>(count)};
  }
  [[nodiscard]] CheckedReduce<T, kOp> checked(Checker& checker, const Index&) const {
    return {&checker, number};
  }
};

}  // namespace detail
}  // namespace Atoll::stencil
