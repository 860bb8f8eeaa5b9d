// What a run holds, without the types of its arrays: values are read and written as Scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>

#include "atoll/pattern/procedure.hpp"
#include "atoll/program/program.hpp"
#include "program/names.hpp"

namespace Atoll::program {

template <class T>
[[nodiscard]] Scalar to_scalar(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<double>(value);
  else
    return static_cast<std::int64_t>(value);
}
template <class T>
[[nodiscard]] T from_scalar(Scalar value) {
  return std::visit([](auto number) { return static_cast<T>(number); }, value);
}

/// A property: an element for each node or for each edge, by id.
struct Elements {
  std::string name;
  ValueType type = ValueType::float64;
  std::uint32_t graph = 0;
  bool edges = false;
  std::uint64_t count = 0;
  const Names* names = nullptr;        ///< of the graph that it is of
  const Names* value_names = nullptr;  ///< of the graph that elements are of
  std::span<std::byte> bytes;          ///< all elements, as they lie in memory
  std::function<Scalar(std::uint64_t)> get;
  std::function<void(std::uint64_t, Scalar)> set;
};

/// A collection of nodes, or a map.
struct Items {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  const Names* names = nullptr;        ///< of the graph of the nodes or keys
  const Names* value_names = nullptr;  ///< of the graph of a map's values
  /// Calls visit(item or key, value) for the first items, at most so many; without a map the value
  /// means nothing.
  std::function<void(std::uint64_t, const std::function<void(Scalar, Scalar)>&)> visit;
  /// Adds an item; returns false if it is there already and can't be twice.
  std::function<bool(Scalar, Scalar)> add;
};

/// Collections of one kind: in a Collection, or one for each node or edge.
struct ManyItems {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  const Names* names = nullptr;  ///< of the graph that has one for each node or edge
  std::function<Items(std::uint64_t)> at;
  /// Adds an empty one to a Collection, and returns it.
  std::function<Items()> append;
};

}  // namespace Atoll::program
