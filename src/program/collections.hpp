// The collections and maps of a run, by name in the procedure.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "atoll/program/collection_types.hpp"
#include "program/elements.hpp"

namespace Atoll::program {

class Collections {
 public:
  /// Makes an empty collection, or one for each of a graph's nodes or edges. `type` must outlive
  /// this.
  void make(const CollectionUse& use, const CollectionType& type, std::size_t nodes,
            std::size_t edges);

  /// Returns the collection; null if no collection has that name.
  [[nodiscard]] void* find(std::string_view name) const;
  [[nodiscard]] Items items(const CollectionUse& use) const;
  [[nodiscard]] ManyItems many(const CollectionUse& use) const;

 private:
  struct Held {
    const CollectionType* type;
    std::shared_ptr<void> argument;  ///< a collection or a container of collections
  };
  std::map<std::string, Held, std::less<>> held_;
};

}  // namespace Atoll::program
