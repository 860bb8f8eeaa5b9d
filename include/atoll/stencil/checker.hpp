// Kernel parameters in checked mode, with the same interface as PointAccess and PointReduce.
// Internal.
#pragma once

#include <memory>

#include "atoll/stencil/accessors.hpp"
#include "atoll/stencil/shape.hpp"

namespace Atoll::stencil::detail {

/// Compares the declaration of a loop with the accesses of its kernel, point by point
/// (src/stencil/checker.cpp).
class Checker {
 public:
  Checker();
  ~Checker();
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  /// Returns the address of a copy of a value that the kernel may read or write. Throws Error
  /// (input) for an access that the loop doesn't declare.
  [[nodiscard]] std::byte* access(int argument, Offset offset, int component, bool writes);
  /// Returns the address of one value of a reduction. Throws Error (input) if the reduction has no
  /// such value.
  [[nodiscard]] void* reduction(int number, int which);

  struct State;
  [[nodiscard]] State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

/// A field at a point, in checked mode.
template <class T>
struct CheckedPoint {
  Checker* checker;
  int argument;
  int component;

  T& operator()(int dx = 0, int dy = 0, int dz = 0) const {
    return *reinterpret_cast<T*>(
        checker->access(argument, {dx, dy, dz}, component, !std::is_const_v<T>));
  }
  CheckedPoint operator[](int which) const { return {checker, argument, component + which}; }
};

/// A reduction at a point, in checked mode.
template <class T, ReduceOp kOp>
struct CheckedReduce {
  Checker* checker;
  int number;

  template <class Given>
  void operator()(Given given) const {
    (*this)[0](given);
  }
  ReduceValue<T, kOp> operator[](int which) const {
    return {static_cast<T*>(checker->reduction(number, which))};
  }
};

}  // namespace Atoll::stencil::detail
