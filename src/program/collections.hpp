// The collections and maps of a run, by name in the procedure.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "program/elements.hpp"

namespace Atoll::program {

class Collections {
 public:
  /// Makes an empty collection, or one for each of a graph's nodes or edges. `Node` and `Edge` are
  /// the unsigned types of the run's ids, as in with_id_types().
  template <class Node, class Edge>
  void make(const CollectionUse& use, std::size_t nodes, std::size_t edges);

  /// Returns the collection; null if no collection has that name.
  [[nodiscard]] void* find(std::string_view name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? nullptr : found->second.collection.get();
  }
  [[nodiscard]] Items items(const CollectionUse& use) const { return held_.at(use.name).items(); }
  [[nodiscard]] ManyItems many(const CollectionUse& use) const { return held_.at(use.name).many(); }

 private:
  struct Held {
    std::shared_ptr<void> collection;
    std::function<Items()> items;     ///< for a single collection
    std::function<ManyItems()> many;  ///< for several collections
  };

  template <class Collection>
  void hold(const CollectionUse& use, std::size_t size);

  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace Atoll::program
