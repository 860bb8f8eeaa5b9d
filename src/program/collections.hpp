// The collections and maps of a run, by their names in the procedure.
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
  /// Makes an empty collection, or those of each of a graph's nodes or edges. The unsigned types
  /// are those of the run's ids, as with_id_types() has them.
  template <class Node, class Edge>
  void make(const CollectionUse& use, std::size_t nodes, std::size_t edges);

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

  template <class Collection>
  void hold(const CollectionUse& use, std::size_t size);

  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace Atoll::program
