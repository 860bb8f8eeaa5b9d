// The collections and maps of a run, by their names in the procedure.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "atoll/graph/map.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

template <class Node, class Edge>
class Collections {
 public:
  /// Makes an empty collection.
  void make(const CollectionUse& use) {
    switch (use.kind) {
      case CollectionKind::set:
        return hold<graph::NodeSet<Node>>(use);
      case CollectionKind::order:
        return hold<graph::NodeOrder<Node>>(use);
      case CollectionKind::sequence:
        return hold<graph::NodeSequence<Node>>(use);
      case CollectionKind::map:
        return with_type(use.key, [&]<class K>() {
          with_type(use.value, [&]<class V>() { hold<graph::Map<K, V>>(use); });
        });
    }
  }

  /// The collection itself; null if there is none of that name.
  [[nodiscard]] void* find(std::string_view name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? nullptr : found->second.collection.get();
  }
  [[nodiscard]] Items items(const CollectionUse& use) const { return held_.at(use.name).items(); }

 private:
  struct Held {
    std::shared_ptr<void> collection;
    std::function<Items()> items;
  };

  template <class Body>
  static void with_type(ValueType type, Body&& body) {
    switch (type) {
      case ValueType::int32:
        return body.template operator()<std::int32_t>();
      case ValueType::int64:
        return body.template operator()<std::int64_t>();
      case ValueType::float32:
        return body.template operator()<float>();
      case ValueType::float64:
        return body.template operator()<double>();
      case ValueType::boolean:
        return body.template operator()<bool>();
      case ValueType::node:  // NOLINT(bugprone-branch-clone): as wide as the graph's ids
        return body.template operator()<Node>();
      case ValueType::edge:
        return body.template operator()<Edge>();
    }
  }

  template <class Collection>
  void hold(const CollectionUse& use) {
    auto collection = std::make_shared<Collection>();
    held_.emplace(use.name, Held{collection, [&use, &collection = *collection] {
                                   return items_of(use, collection);
                                 }});
  }

  template <class Collection>
  static Items items_of(const CollectionUse& use, Collection& collection) {
    return {
        .use = &use,
        .count = collection.size(),
        .visit =
            [&collection](std::uint64_t count, const auto& visit) {
              for (const auto& item : collection.items()) {
                if (count-- == 0) return;
                visit_one(item, visit);
              }
            },
        .add = [&collection](Scalar item, Scalar value) { return add(collection, item, value); }};
  }

  template <class Visit>
  static void visit_one(Node node, const Visit& visit) {
    visit(to_scalar(node), to_scalar(node));
  }
  template <class K, class V, class Visit>
  static void visit_one(const std::pair<K, V>& entry, const Visit& visit) {
    visit(to_scalar(entry.first), to_scalar(entry.second));
  }

  static bool add(graph::NodeSet<Node>& set, Scalar item, Scalar /*value*/) {
    if (set.has(from_scalar<Node>(item))) return false;
    set.add(from_scalar<Node>(item));
    return true;
  }
  static bool add(graph::NodeOrder<Node>& order, Scalar item, Scalar /*value*/) {
    if (order.has(from_scalar<Node>(item))) return false;
    order.push_back(from_scalar<Node>(item));
    return true;
  }
  static bool add(graph::NodeSequence<Node>& sequence, Scalar item, Scalar /*value*/) {
    sequence.push_back(from_scalar<Node>(item));
    return true;
  }
  template <class K, class V>
  static bool add(graph::Map<K, V>& map, Scalar key, Scalar value) {
    if (map.has_key(from_scalar<K>(key))) return false;
    map.set(from_scalar<K>(key), from_scalar<V>(value));
    return true;
  }

  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace Atoll::program
