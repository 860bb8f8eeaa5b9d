// Groups threads by node, and restricts each node's list of nearest nodes to nodes with threads.
#include "atoll/threads/neighbours.hpp"

#include <algorithm>

namespace Atoll {

Neighbours::Neighbours(const ThreadPlaces& places) {
  const std::vector<NodeId> ids = nodes_of(places);
  for (const NodeId id : ids) {
    nearest_[id] = nodes_.size();
    nodes_.push_back({.id = id});
  }
  for (const ThreadPlace& place : places) {
    const std::size_t node = nearest_.at(place.node);
    std::vector<std::size_t>& threads = nodes_[node].threads;
    threads.push_back(positions_.size());
    positions_.push_back({node, threads.size() - 1});
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<std::size_t>& nearest = nodes_[i].nearest;
    const auto add = [&](std::size_t node) {
      if (std::find(nearest.begin(), nearest.end(), node) == nearest.end()) nearest.push_back(node);
    };
    add(i);
    if (const auto known = places.near.find(ids[i]); known != places.near.end())
      for (const NodeId id : known->second)
        if (std::binary_search(ids.begin(), ids.end(), id)) add(nearest_.at(id));
    for (std::size_t j = 1; j < nodes_.size(); ++j) add((i + j) % nodes_.size());
  }
  for (const auto& [memory, near] : places.near) {
    if (nearest_.contains(memory)) continue;
    const auto first = std::find_if(near.begin(), near.end(), [&](NodeId id) {
      return std::binary_search(ids.begin(), ids.end(), id);
    });
    if (first != near.end()) nearest_[memory] = nearest_.at(*first);
  }
}

std::size_t Neighbours::nearest_to(NodeId memory) const {
  const auto found = nearest_.find(memory);
  return found == nearest_.end() ? memory.value % nodes_.size() : found->second;
}

}  // namespace Atoll
