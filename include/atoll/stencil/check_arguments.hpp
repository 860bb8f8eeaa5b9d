// Compile-time checks of a loop's kernel and arguments. Each mistake causes one compiler message
// that names the argument by its position and type. Internal: Mesh::loop() uses them.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "atoll/stencil/loop.hpp"

namespace Atoll::stencil::detail {

// If one of these is false, the compiler prints its name with its template arguments.

/// kPosition and Type: position, from 1, and type of the first argument that is not wrapped; 0 and
/// void if all are.
template <int kPosition, class Type>
inline constexpr bool kArgumentIsWrapped = kPosition == 0;
/// The same for the first argument that has no parameter in the kernel.
template <int kPosition, class Type>
inline constexpr bool kArgumentHasParameter = kPosition == 0;
/// True unless the kernel has more parameters than the loop has arguments.
template <int kParameters, int kArguments>
inline constexpr bool kParametersHaveArguments = kParameters <= kArguments;
/// True if the kernel can be called.
template <bool kTakes, class... Arguments>
inline constexpr bool kKernelTakes = kTakes;

template <class Argument>
inline constexpr bool kIsArgument = false;
template <class T, bool kColumn, AccessMode kAccess>
inline constexpr bool kIsArgument<FieldArgument<T, kColumn, kAccess>> = true;
template <class T>
inline constexpr bool kIsArgument<ValueArgument<T>> = true;
template <>
inline constexpr bool kIsArgument<IndexArgument> = true;
template <class T, ReduceOp kOp>
inline constexpr bool kIsArgument<ReduceArgument<T, kOp>> = true;

/// Returns the position, from 1, of the first type that is not a loop argument; 0 if there is none.
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

/// Detects the arity of a kernel whose parameters are all `auto`, without instantiating its body:
/// if the kernel takes n arguments, a call with n arguments is ambiguous between the kernel and
/// this class.
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
inline constexpr int kMaxParameters = 12;

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
/// Returns the number of a kernel's parameters; -1 if unknown.
template <class Kernel, int kParameters = 1>
constexpr int parameters_of() {
  if constexpr (!std::is_class_v<Kernel> || std::is_final_v<Kernel> || kParameters > kMaxParameters)
    return -1;
  else if constexpr (is_ambiguous<Kernel>(std::make_index_sequence<std::size_t{kParameters}>()))
    return kParameters;
  else
    return parameters_of<Kernel, kParameters + 1>();
}

/// Type of the kernel parameter for an argument.
template <class Argument>
using PointOf =
    decltype(std::declval<const Bound<Argument>&>().row(std::declval<Worker&>(), 0, 0, 0).at(0));

/// True if the kernel can be called with one parameter for each argument. If the arity is known,
/// returns true without trying the call, so that the compiler reports errors in the body where the
/// kernel is used.
template <class Kernel, class... Arguments>
constexpr bool is_callable() {
  if constexpr (parameters_of<Kernel>() >= 0)
    return true;
  else
    return std::is_invocable_v<const Kernel&, PointOf<Arguments>...>;
}

}  // namespace Atoll::stencil::detail
