// The collections and maps of a run, by their names in the procedure.
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/graph/collection_sequence.hpp"
#include "atoll/graph/map.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

template <class Node, class Edge>
class Collections {
 public:
  /// Makes an empty collection, or those of each of a graph's nodes or edges.
  void make(const CollectionUse& use, std::size_t nodes, std::size_t edges) {
    size_ = use.place == CollectionPlace::edges ? edges : nodes;
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
  [[nodiscard]] ManyItems many(const CollectionUse& use) const { return held_.at(use.name).many(); }

 private:
  struct Held {
    std::shared_ptr<void> collection;
    std::function<Items()> items;     ///< of one alone
    std::function<ManyItems()> many;  ///< of several
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
    Held held;
    if (use.place == CollectionPlace::alone) {
      auto one = std::make_shared<Collection>();
      held.items = [&use, &one = *one] { return items_of(use, one); };
      held.collection = std::move(one);
    } else if (use.place == CollectionPlace::listed) {
      auto all = std::make_shared<graph::CollectionSequence<Collection>>();
      held.many = [&use, &all = *all] { return many_of(use, all); };
      held.collection = std::move(all);
    } else {
      auto all = std::make_shared<std::vector<Collection>>(size_);
      held.many = [&use, &all = *all] { return many_of(use, all); };
      held.collection = std::move(all);
    }
    held_.emplace(use.name, std::move(held));
  }

  /// Of a std::vector or a CollectionSequence.
  template <class All>
  static ManyItems many_of(const CollectionUse& use, All& all) {
    return {.use = &use,
            .count = all.size(),
            .at =
                [&use, &all](std::uint64_t i) {
                  return items_of(use, all.begin()[static_cast<std::ptrdiff_t>(i)]);
                },
            .append =
                [&use, &all] {
                  all.push_back({});
                  return items_of(use, *std::prev(all.end()));
                }};
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

  std::size_t size_ = 0;
  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace Atoll::program
