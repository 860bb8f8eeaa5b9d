// The arguments of a loop, in the order of its kernel's parameters: how each field is accessed,
// scalars, the point's index, reductions.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "atoll/stencil/accessors.hpp"
#include "atoll/stencil/checker.hpp"
#include "atoll/stencil/shape.hpp"
#include "atoll/stencil/worker.hpp"

namespace Atoll::stencil {

/// What a kernel does with a field.
enum class Access : std::uint8_t {
  read,        ///< reads it at the stencil's offsets
  write,       ///< writes the point itself, always, and doesn't read it
  read_write,  ///< reads it at the stencil's offsets and writes the point itself
  increment,   ///< adds to the point itself
};

/// "read", "write", "read-write", "increment".
[[nodiscard]] std::string_view to_string(Access access);

/// A field as an argument; made by read(), write() and so on.
template <class T, bool kColumn, Access kAccess>
struct FieldArgument {
  FieldStorage* field;  ///< which one
  Stencil stencil;      ///< at which offsets
};
/// A scalar as an argument; made by value().
template <class T>
struct ValueArgument {
  T value;  ///< as it was when the loop was queued
};
/// The point's index as an argument; made by index().
struct IndexArgument {};
/// A reduction as an argument; made by reduce_min() and so on.
template <class T, ReduceOp kOp>
struct ReduceArgument {
  ReductionStorage* reduction;  ///< which one
};

/// The kernel reads the field: `u(1,0)` is a constant.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, Access::read> read(const Field<T, kColumn>& field,
                                                           Stencil stencil = {}) {
  return {&field.storage(), stencil};
}
/// The kernel writes the field at its own point, and doesn't read it: `v(0,0) = …`.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, Access::write> write(const Field<T, kColumn>& field) {
  return {&field.storage(), {}};
}
/// The kernel reads the field at the stencil's offsets, and may write it at its own point. Since
/// points run in any order, no point may read what another one writes: of a field that isn't only
/// used at its own point, a loop writes one part and reads another, as mirrors do.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, Access::read_write> read_write(
    const Field<T, kColumn>& field, Stencil stencil = {}) {
  return {&field.storage(), stencil};
}
/// The kernel adds to the field at its own point: `v(0,0) += …`.
template <class T, bool kColumn>
[[nodiscard]] FieldArgument<T, kColumn, Access::increment> increment(
    const Field<T, kColumn>& field) {
  return {&field.storage(), {}};
}
/// A scalar, as it is now. What the kernel captures by value is the same.
template <class T>
[[nodiscard]] ValueArgument<T> value(T scalar) {
  return {std::move(scalar)};
}
/// The point's Index.
[[nodiscard]] inline IndexArgument index() {
  return {};
}
/// The kernel gives values, and the reduction keeps the least: `r(value)`.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::min> reduce_min(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}
/// The kernel gives values, and the reduction keeps the greatest.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::max> reduce_max(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}
/// The kernel gives values, and the reduction adds them up.
template <class T>
[[nodiscard]] ReduceArgument<T, ReduceOp::sum> reduce_sum(const Reduction<T>& reduction) {
  return {&reduction.storage()};
}

namespace detail {

/// A row of a field: its pointer to x = 0, and strides.
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
  T* buffer;  ///< of x = 0
  unsigned count;
  mutable std::uint64_t beyond = 0;  ///< how often the kernel asked for a value that there isn't
  [[gnu::always_inline]] PointReduce<T, kOp> at(int x) const {
    return {buffer + x, kBlock, count, &beyond};
  }
};

/// Throws Error (input) if the row's kernel asked for a value that its reduction doesn't have.
template <class Row>
[[gnu::always_inline]] inline void check_row(const Row&, const Worker&) {}
template <class T, ReduceOp kOp>
[[gnu::always_inline]] inline void check_row(const ReduceRow<T, kOp>& row, const Worker& worker) {
  if (row.beyond != 0) [[unlikely]]
    refuse_values(worker.loop, row.count);
}

// How a queued argument becomes rows, and points that are checked. `kReductions`: how many
// reductions it has.

template <class T, bool kColumn, Access kAccess>
struct Bound<FieldArgument<T, kColumn, kAccess>> {
  using Value = std::conditional_t<kAccess == Access::read, const T, T>;
  static constexpr int kReductions = 0;
  FieldStorage* field;
  int number;  ///< among the loop's fields

  Bound(const FieldArgument<T, kColumn, kAccess>& argument, int& fields, int&)
      : field(argument.field), number(fields++) {}
  [[nodiscard]] FieldRow<Value, kColumn> row(Worker&, int y, int z, int) const {
    const std::ptrdiff_t sy = field->stride_y(), sz = field->stride_z();
    return {{reinterpret_cast<Value*>(field->origin()) + y * sy + z * sz, sy, sz,
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
  int number;  ///< among the loop's reductions
  int count;   ///< of its values
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
