#include "program/collections.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

Items items_of(const CollectionUse& use, const CollectionOperations& operations, void* collection) {
  return {
      .use = &use,
      .count = operations.size(collection),
      .visit = [&operations, collection](
                   std::uint64_t count,
                   const VisitItem& visit) { operations.visit(collection, count, visit); },
      .add = [&operations, collection](
                 Scalar item, Scalar value) { return operations.add(collection, item, value); }};
}

}  // namespace

const CollectionType& CollectionTypes::of(std::string_view name) const {
  const auto found = types_.find(name);
  if (found == types_.end())
    throw Error::failed("program", fmt::format("has no C++ type for the collection \"{}\"", name));
  return *found->second;
}

void Collections::make(const CollectionUse& use, const CollectionType& type, std::size_t nodes,
                       std::size_t edges) {
  const std::size_t count = use.place == CollectionPlace::edges ? edges : nodes;
  held_.emplace(use.name, Held{&type, type.make(count)});
}

void* Collections::find(std::string_view name) const {
  const auto found = held_.find(name);
  return found == held_.end() ? nullptr : found->second.argument.get();
}

Items Collections::items(const CollectionUse& use) const {
  const Held& held = held_.at(use.name);
  return items_of(use, held.type->one, held.argument.get());
}

ManyItems Collections::many(const CollectionUse& use) const {
  const CollectionType& type = *held_.at(use.name).type;
  void* const all = held_.at(use.name).argument.get();
  return {.use = &use,
          .count = type.count(all),
          .at = [&use, &type,
                 all](std::uint64_t i) { return items_of(use, type.one, type.at(all, i)); },
          .append = [&use, &type, all] { return items_of(use, type.one, type.append(all)); }};
}

}  // namespace Atoll::program
