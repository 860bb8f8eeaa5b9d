// Compile-time checks of a loop's kernel and arguments, so that a mistake gives one message of the
// compiler that names the argument by its position and type. For the library: Mesh::loop() has
// them.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "atoll/stencil/loop.hpp"

namespace Atoll::stencil::detail {

// The compiler prints these names with their values when they are false.

/// Position, from 1, and type of the first argument that is none; 0 and void if all are right.
template <int kPosition, class Type>
inline constexpr bool kArgumentIsWrapped = kPosition == 0;
/// The same of the first argument without a parameter of the kernel.
template <int kPosition, class Type>
inline constexpr bool kArgumentHasParameter = kPosition == 0;
/// The numbers of the kernel's parameters and of the loop's arguments.
template <int kParameters, int kArguments>
inline constexpr bool kParametersHaveArguments = kParameters <= kArguments;
/// True if the kernel can be called.
template <bool kTakes, class... Arguments>
inline constexpr bool kKernelTakes = kTakes;

template <class Argument>
inline constexpr bool kIsArgument = false;
template <class T, bool kColumn, Access kAccess>
inline constexpr bool kIsArgument<FieldArgument<T, kColumn, kAccess>> = true;
template <class T>
inline constexpr bool kIsArgument<ValueArgument<T>> = true;
template <>
inline constexpr bool kIsArgument<IndexArgument> = true;
template <class T, ReduceOp kOp>
inline constexpr bool kIsArgument<ReduceArgument<T, kOp>> = true;

/// Position, from 1, of the first type that is no argument; 0 if there is none.
template <class... Arguments>
constexpr int first_wrong() {
  int position = 0, wrong = 0;
  ((++position, wrong = wrong == 0 && !kIsArgument<Arguments> ? position : wrong), ...);
  return wrong;
}

/// The type at a position, from 1; void at 0.
template <int kPosition, class... Types>
using TypeAt =
    std::tuple_element_t<static_cast<std::size_t>(kPosition), std::tuple<void, Types...>>;

/// Arity of a kernel whose parameters are all `auto`, found without instantiating its body: where
/// the kernel takes so many arguments, a call is ambiguous between it and these.
struct AnyKernel {
  void operator()() const;
  void operator()(auto) const;
  void operator()(auto, auto) const;
  void operator()(auto, auto, auto) const;
  void operator()(auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto) const;
  void operator()(auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto, auto) const;
};
inline constexpr int kMostParameters = 12;

template <class Kernel>
struct KernelOrAny : Kernel, AnyKernel {
  using Kernel::operator();
  using AnyKernel::operator();
};
template <class Kernel, std::size_t... kIndex>
constexpr bool is_ambiguous(std::index_sequence<kIndex...>) {
  struct Probe {};
  return !requires(const KernelOrAny<Kernel>& both) {
    both((static_cast<void>(kIndex), Probe{})...);
  };
}
/// The number of a kernel's parameters; -1 if it isn't known.
template <class Kernel, int kParameters = 1>
constexpr int parameters_of() {
  if constexpr (!std::is_class_v<Kernel> || std::is_final_v<Kernel> ||
                kParameters > kMostParameters)
    return -1;
  else if constexpr (is_ambiguous<Kernel>(std::make_index_sequence<std::size_t{kParameters}>()))
    return kParameters;
  else
    return parameters_of<Kernel, kParameters + 1>();
}

/// A kernel's parameter for an argument.
template <class Argument>
using PointOf =
    decltype(std::declval<const Bound<Argument>&>().row(std::declval<Worker&>(), 0, 0, 0).at(0));

/// True if the kernel can be called with one parameter for each argument. If the number of its
/// parameters is known, that is not tried: what is wrong in its body is reported where it is used.
template <class Kernel, class... Arguments>
constexpr bool is_callable() {
  if constexpr (parameters_of<Kernel>() >= 0)
    return true;
  else
    return std::is_invocable_v<const Kernel&, PointOf<Arguments>...>;
}

}  // namespace Atoll::stencil::detail
