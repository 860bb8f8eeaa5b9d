// The C++ types of a procedure's collections and maps, for the library, which makes, fills and
// prints them. A compiled program instantiates the operations for its own types only: maps have 49
// pairs of element types for each width of ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "atoll/graph/collection_sequence.hpp"
#include "atoll/graph/map.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"
#include "atoll/program/scalar.hpp"

namespace Atoll::program {

/// Called with an item, or a map's key, and the value. Without a map, the value is meaningless.
using VisitItem = std::function<void(Scalar, Scalar)>;

/// Operations of one collection or map. A `void*` points to it.
struct CollectionOperations {
  std::uint64_t (*size)(const void* collection);
  /// Visits the first items, at most `count`.
  void (*visit)(const void* collection, std::uint64_t count, const VisitItem& visit);
  /// Returns false if the item is already present in a collection without duplicates.
  bool (*add)(void* collection, Scalar item, Scalar value);
};

/// Operations of an argument: of one collection, or of a container of several. `at` and `append`
/// return a collection.
struct CollectionType {
  /// Makes an empty collection or Collection, or `count` collections of nodes or edges.
  std::shared_ptr<void> (*make)(std::size_t count);
  CollectionOperations one;
  std::uint64_t (*count)(const void* container);         ///< null for one collection
  void* (*at)(void* container, std::uint64_t position);  ///< as is this
  void* (*append)(void* container);                      ///< as is this
};

namespace detail {

template <class Node>
bool add_item(graph::NodeSet<Node>& set, Scalar item, Scalar /*value*/) {
  if (set.has(from_scalar<Node>(item))) return false;
  set.add(from_scalar<Node>(item));
  return true;
}
template <class Node>
bool add_item(graph::NodeOrder<Node>& order, Scalar item, Scalar /*value*/) {
  if (order.has(from_scalar<Node>(item))) return false;
  order.push_back(from_scalar<Node>(item));
  return true;
}
template <class Node>
bool add_item(graph::NodeSequence<Node>& sequence, Scalar item, Scalar /*value*/) {
  sequence.push_back(from_scalar<Node>(item));
  return true;
}
template <class K, class V>
bool add_item(graph::Map<K, V>& map, Scalar key, Scalar value) {
  if (map.has_key(from_scalar<K>(key))) return false;
  map.set(from_scalar<K>(key), from_scalar<V>(value));
  return true;
}

template <class Node>
void visit_item(Node node, const VisitItem& visit) {
  visit(to_scalar(node), to_scalar(node));
}
template <class K, class V>
void visit_item(const std::pair<K, V>& entry, const VisitItem& visit) {
  visit(to_scalar(entry.first), to_scalar(entry.second));
}

template <class Collection>
constexpr CollectionOperations kOperations = {
    .size = [](const void* collection) -> std::uint64_t {
      return static_cast<const Collection*>(collection)->size();
    },
    .visit =
        [](const void* collection, std::uint64_t count, const VisitItem& visit) {
          for (const auto& item : static_cast<const Collection*>(collection)->items()) {
            if (count-- == 0) return;
            visit_item(item, visit);
          }
        },
    .add =
        [](void* collection, Scalar item, Scalar value) {
          return add_item(*static_cast<Collection*>(collection), item, value);
        }};

template <class Collection>
struct TypeOf {
  static constexpr CollectionType kType = {
      .make = [](std::size_t) -> std::shared_ptr<void> { return std::make_shared<Collection>(); },
      .one = kOperations<Collection>,
      .count = nullptr,
      .at = nullptr,
      .append = nullptr};
};

/// `All` is a container of collections.
template <class All, class Collection>
constexpr CollectionType kContainer = {
    .make = [](std::size_t count) -> std::shared_ptr<void> {
      if constexpr (std::is_constructible_v<All, std::size_t>)
        return std::make_shared<All>(count);
      else
        return std::make_shared<All>();
    },
    .one = kOperations<Collection>,
    .count = [](const void* all) -> std::uint64_t { return static_cast<const All*>(all)->size(); },
    .at = [](void* all, std::uint64_t position) -> void* {
      return &static_cast<All*>(all)->begin()[static_cast<std::ptrdiff_t>(position)];
    },
    .append = [](void* all) -> void* {
      static_cast<All*>(all)->push_back({});
      return &*std::prev(static_cast<All*>(all)->end());
    }};

template <class Collection>
struct TypeOf<graph::CollectionSequence<Collection>> {
  static constexpr const CollectionType& kType =
      kContainer<graph::CollectionSequence<Collection>, Collection>;
};
template <class Collection>
struct TypeOf<std::vector<Collection>> {
  static constexpr const CollectionType& kType = kContainer<std::vector<Collection>, Collection>;
};

}  // namespace detail

/// The types of a procedure's collections, by name.
class CollectionTypes {
 public:
  /// `T` is the type that the function passes to Run::collection() for this name.
  template <class T>
  void add(std::string name) {
    types_.emplace(std::move(name), &detail::TypeOf<T>::kType);
  }
  /// Throws Error (failed) if the program hasn't added the name.
  [[nodiscard]] const CollectionType& of(std::string_view name) const;

 private:
  std::map<std::string, const CollectionType*, std::less<>> types_;
};

}  // namespace Atoll::program
