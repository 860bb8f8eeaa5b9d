// Type-erased access to a run's data: values are read and written as Scalars.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "atoll/pattern/procedure.hpp"
#include "atoll/program/scalar.hpp"
#include "program/names.hpp"

namespace Atoll::program {

/// A property: one element for each node or for each edge, indexed by id.
struct Elements {
  std::string name;
  ValueType type = ValueType::float64;
  std::uint32_t graph = 0;
  bool edges = false;
  std::uint64_t count = 0;
  const Names* names = nullptr;        ///< names of the property's graph
  const Names* value_names = nullptr;  ///< names of the graph that values refer to
  std::span<std::byte> bytes;          ///< all elements, in the array's own format
  std::function<Scalar(std::uint64_t)> get;
  std::function<void(std::uint64_t, Scalar)> set;
};

/// A collection of nodes or a map.
struct Items {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  const Names* names = nullptr;        ///< names of the graph of the nodes or keys
  const Names* value_names = nullptr;  ///< names of the graph of a map's values
  /// Calls visit(item or key, value) for the first items, at most the given number. Without a map,
  /// the value is meaningless.
  std::function<void(std::uint64_t, const std::function<void(Scalar, Scalar)>&)> visit;
  /// Adds an item; returns false if it is already present in a collection without duplicates.
  std::function<bool(Scalar, Scalar)> add;
};

/// Collections of one kind: in a Collection, or one for each node or edge.
struct ManyItems {
  const CollectionUse* use = nullptr;
  std::uint64_t count = 0;
  const Names* names = nullptr;  ///< names of the graph whose nodes or edges have one each
  std::function<Items(std::uint64_t)> at;
  /// Appends an empty collection to a Collection, and returns it.
  std::function<Items()> append;
};

}  // namespace Atoll::program
