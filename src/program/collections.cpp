#include "program/collections.hpp"

#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "atoll/graph/collection_sequence.hpp"
#include "atoll/graph/map.hpp"
#include "atoll/graph/node_order.hpp"
#include "atoll/graph/node_sequence.hpp"
#include "atoll/graph/node_set.hpp"

namespace Atoll::program {
namespace {

template <class Node, class Edge, class Body>
void with_type(ValueType type, Body&& body) {
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

template <class Node, class Visit>
void visit_one(Node node, const Visit& visit) {
  visit(to_scalar(node), to_scalar(node));
}
template <class K, class V, class Visit>
void visit_one(const std::pair<K, V>& entry, const Visit& visit) {
  visit(to_scalar(entry.first), to_scalar(entry.second));
}

template <class Node>
bool add(graph::NodeSet<Node>& set, Scalar item, Scalar /*value*/) {
  if (set.has(from_scalar<Node>(item))) return false;
  set.add(from_scalar<Node>(item));
  return true;
}
template <class Node>
bool add(graph::NodeOrder<Node>& order, Scalar item, Scalar /*value*/) {
  if (order.has(from_scalar<Node>(item))) return false;
  order.push_back(from_scalar<Node>(item));
  return true;
}
template <class Node>
bool add(graph::NodeSequence<Node>& sequence, Scalar item, Scalar /*value*/) {
  sequence.push_back(from_scalar<Node>(item));
  return true;
}
template <class K, class V>
bool add(graph::Map<K, V>& map, Scalar key, Scalar value) {
  if (map.has_key(from_scalar<K>(key))) return false;
  map.set(from_scalar<K>(key), from_scalar<V>(value));
  return true;
}

template <class Collection>
Items items_of(const CollectionUse& use, Collection& collection) {
  return {.use = &use,
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

/// `All` is a std::vector or a CollectionSequence.
template <class All>
ManyItems many_of(const CollectionUse& use, All& all) {
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

}  // namespace

template <class Collection>
void Collections::hold(const CollectionUse& use, std::size_t size) {
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
    auto all = std::make_shared<std::vector<Collection>>(size);
    held.many = [&use, &all = *all] { return many_of(use, all); };
    held.collection = std::move(all);
  }
  held_.emplace(use.name, std::move(held));
}

template <class Node, class Edge>
void Collections::make(const CollectionUse& use, std::size_t nodes, std::size_t edges) {
  const std::size_t size = use.place == CollectionPlace::edges ? edges : nodes;
  switch (use.kind) {
    case CollectionKind::set:
      return hold<graph::NodeSet<Node>>(use, size);
    case CollectionKind::order:
      return hold<graph::NodeOrder<Node>>(use, size);
    case CollectionKind::sequence:
      return hold<graph::NodeSequence<Node>>(use, size);
    case CollectionKind::map:
      return with_type<Node, Edge>(use.key, [&]<class K>() {
        with_type<Node, Edge>(use.value, [&]<class V>() { hold<graph::Map<K, V>>(use, size); });
      });
  }
}

// Instances for with_id_types(). Maps have 49 pairs of types, so only this file instantiates them.
template void Collections::make<std::uint32_t, std::uint32_t>(const CollectionUse&, std::size_t,
                                                              std::size_t);
template void Collections::make<std::uint32_t, std::uint64_t>(const CollectionUse&, std::size_t,
                                                              std::size_t);
template void Collections::make<std::uint64_t, std::uint64_t>(const CollectionUse&, std::size_t,
                                                              std::size_t);

}  // namespace Atoll::program
