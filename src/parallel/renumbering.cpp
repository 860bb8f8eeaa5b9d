// Converts each thread's own numbers to global numbers.
#include "atoll/parallel/renumbering.hpp"

#include <string>

#include "atoll/base/error.hpp"

namespace Atoll {

Renumbering::Renumbering(const Team& team, std::size_t elements, Use use)
    : team_(&team), written_(use == Use::written) {
  if (elements >= kNone)
    throw Error::input("renumbering", std::to_string(elements) + " elements",
                       "2^32 - 2 is the most");
  owner_.assign(elements, kUnused);
  new_.assign(elements, kNone);
  old_.resize(elements);
  counts_.resize(static_cast<std::size_t>(team.size()));
}

void Renumbering::finish() {
  std::vector<std::uint32_t> own, shared;  // by thread: its first number
  std::uint32_t next = 0;
  const auto give = [&](std::uint32_t count, NodeId node, std::vector<std::uint32_t>& first) {
    first.push_back(next);
    next += count;
    layout_.nodes.push_back(node);
    layout_.ends.push_back(next);
  };
  const ThreadPlaces& places = team_->places();
  for (std::size_t thread = 0; thread < places.size(); ++thread)
    give(counts_[thread].own, places[thread].node, own);
  shared_.begin = next;
  for (std::size_t thread = 0; thread < places.size(); ++thread)
    give(counts_[thread].shared, places[thread].node, shared);
  shared_.end = next;
  layout_.ends.back() = size();  // unused elements are placed with the last ones
  for (std::uint32_t element = 0; element < size(); ++element)
    if (owner_[element] == kUnused) new_[element] = next++;
  for_each(*team_, size(), LoopSchedule::fixed, [&](std::size_t element) {
    const std::uint32_t thread = owner_[element] & ~kShared;
    if (thread != kUnused)
      new_[element] += (owner_[element] & kShared) != 0 ? shared[thread] : own[thread];
    old_[new_[element]] = static_cast<std::uint32_t>(element);
  });
  owner_ = {};
}

void Renumbering::refuse(std::size_t element) const {
  throw Error::input(
      "renumbering",
      "there is no element " + std::to_string(element) + " of " + std::to_string(size()),
      "indices are from 0");
}

void Renumbering::check_size(std::size_t size) const {
  if (size != this->size())
    throw Error::input(
        "renumbering",
        "an array of " + std::to_string(size) + " elements, not " + std::to_string(this->size()),
        "give arrays of all elements");
}

}  // namespace Atoll
