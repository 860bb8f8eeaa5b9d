// Fake of a system's memory: nodes with capacities, file cache and distances. Full nodes spill to
// others as on Linux, and all requests are recorded. Also defines a small machine with these nodes.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/machine/machine.hpp"
#include "atoll/memory/backend.hpp"
#include "atoll/threads/team.hpp"
#include "memory/anonymous.hpp"

namespace Atoll::memory {

class FakeBackend : public Backend {
 public:
  struct Node {
    std::uint64_t pages = 0;        ///< capacity of the node
    std::uint64_t cache_pages = 0;  ///< part of the capacity: reclaimable file cache
    std::uint64_t used_pages = 0;   ///< part of the capacity: used by blocks and other processes
    /// Nodes that are used if this one is full: all others, nearest first by the kernel's distance.
    std::vector<NodeId> next;
  };
  struct Populate {
    NodeId node;
    NodeId threads_node;
    int thread = -1;
    std::uint64_t bytes = 0;
  };

  explicit FakeBackend(std::map<NodeId, Node> nodes) : nodes_(std::move(nodes)) {}

  // Settings and queries for tests.
  std::function<void(FakeBackend&)> before_populate = [](FakeBackend&) {};
  std::uint64_t cgroup_bytes = UINT64_MAX;
  std::uint64_t reserve_pages_by_node = 0;  ///< excluded by available()

  /// Simulates other processes that take pages of a node; negative counts free pages.
  void others_take(NodeId node, std::int64_t pages) {
    const std::scoped_lock lock(mutex_);
    nodes_.at(node).used_pages += static_cast<std::uint64_t>(pages);
  }
  [[nodiscard]] std::uint64_t free_pages(NodeId node) const {
    const std::scoped_lock lock(mutex_);
    return free(nodes_.at(node));
  }
  [[nodiscard]] std::uint64_t pages_mapped() const {
    const std::scoped_lock lock(mutex_);
    return where_.size();
  }
  [[nodiscard]] std::size_t reservations() const {
    const std::scoped_lock lock(mutex_);
    return reservations_.size();
  }
  [[nodiscard]] std::vector<Populate> populates() const {
    const std::scoped_lock lock(mutex_);
    return populates_;
  }
  [[nodiscard]] std::set<NodeId> settled_nodes() const {
    const std::scoped_lock lock(mutex_);
    return settled_nodes_;
  }
  /// Returns true if pages were requested when none was left. A real system would have killed a
  /// process.
  [[nodiscard]] bool killed() const {
    const std::scoped_lock lock(mutex_);
    return killed_;
  }

  std::string_view name() const override { return "fake"; }

  Available available(PageSize /*pages*/) const override {
    const std::scoped_lock lock(mutex_);
    Available available;
    available.cgroup_bytes = cgroup_bytes;
    for (const auto& [id, node] : nodes_) {
      const std::uint64_t pages = free(node) + node.cache_pages;
      const std::uint64_t left = pages - std::min(pages, reserve_pages_by_node);
      available.bytes_by_node[id] = left * kPageBytes;
      available.bytes_in_all += left * kPageBytes;
    }
    return available;
  }

  std::byte* reserve(std::size_t bytes, PageSize pages) override {
    // The fake has no pools of huge pages. Address space is reserved in the same way for them.
    std::byte* const data = memory::reserve_pages(bytes, from_pool(pages) ? PageSize::huge : pages);
    const std::scoped_lock lock(mutex_);
    reservations_[data] = bytes;
    return data;
  }

  void release(std::byte* data, std::size_t bytes) noexcept override {
    discard(std::vector<Range>{{data, bytes}});
    {  // erased before another reservation can reuse the addresses
      const std::scoped_lock lock(mutex_);
      const auto found = reservations_.find(data);
      if (found != reservations_.end() && found->second == bytes) reservations_.erase(found);
    }
    release_pages(data, bytes);
  }

  void populate(std::span<const Range> ranges, NodeId wished) override {
    before_populate(*this);
    const std::scoped_lock lock(mutex_);
    const CurrentPlace place = current_place();
    populates_.push_back({wished, place.node, place.thread, 0});
    for_each_page(ranges, [&](const std::byte* page) {
      populates_.back().bytes += kPageBytes;
      if (where_.contains(page)) return;
      const NodeId node = pick(wished == kNowhere ? place.node : wished);
      ++nodes_.at(node).used_pages;
      where_[page] = node;
    });
  }

  void migrate(std::span<const Range> ranges, NodeId target) override {
    const std::scoped_lock lock(mutex_);
    Node& to = nodes_.at(target);
    for_each_page(ranges, [&](const std::byte* page) {
      NodeId& node = where_.at(page);
      if (node == target) return;
      if (free(to) == 0) {
        if (to.cache_pages == 0) return;
        --to.cache_pages;
      }
      --nodes_.at(node).used_pages;
      ++to.used_pages;
      node = target;
    });
  }

  void discard(std::span<const Range> ranges) override {
    const std::scoped_lock lock(mutex_);
    for_each_page(ranges, [&](const std::byte* page) {
      const auto found = where_.find(page);
      if (found == where_.end()) return;
      --nodes_.at(found->second).used_pages;
      where_.erase(found);
    });
  }

  void prevent_migration(Range /*range*/, std::span<const NodeId> nodes) override {
    const std::scoped_lock lock(mutex_);
    settled_nodes_ = {nodes.begin(), nodes.end()};
  }

  void locate(std::span<const Range> ranges, std::span<NodeId> nodes) const override {
    const std::scoped_lock lock(mutex_);
    auto out = nodes.begin();
    for_each_page(ranges, [&](const std::byte* page) {
      const auto found = where_.find(page);
      *out++ = found == where_.end() ? kNowhere : found->second;
    });
  }

 private:
  static std::uint64_t free(const Node& node) {
    return node.pages - std::min(node.pages, node.used_pages + node.cache_pages);
  }

  static void for_each_page(std::span<const Range> ranges, const auto& each) {
    for (const Range& range : ranges)
      for (std::size_t at = 0; at < range.bytes; at += kPageBytes) each(range.data + at);
  }

  /// Returns the requested node, or the nearest with free memory. Reclaims file cache only if no
  /// node has free memory.
  NodeId pick(NodeId wished) {
    std::vector<NodeId> order{wished};
    order.insert(order.end(), nodes_.at(wished).next.begin(), nodes_.at(wished).next.end());
    for (const NodeId node : order)
      if (free(nodes_.at(node)) > 0) return node;
    for (const NodeId node : order)
      if (std::uint64_t& cache = nodes_.at(node).cache_pages; cache > 0) {
        --cache;
        return node;
      }
    killed_ = true;
    return wished;
  }

  mutable std::mutex mutex_;
  std::map<NodeId, Node> nodes_;
  std::map<const std::byte*, NodeId> where_;
  std::map<const std::byte*, std::size_t> reservations_;
  std::vector<Populate> populates_;
  std::set<NodeId> settled_nodes_;
  bool killed_ = false;
};

/// Nodes 0 and 1 with two processing units each, memory-only nodes 2 (near 0) and 3 (near 1). By
/// latency, node 2 is the nearest to node 0; by the kernel's distances it is node 1, as on Xeon
/// Phi.
inline Machine four_node_machine() {
  Machine::Data data;
  data.name = "four";
  const double latency[2][4] = {{80, 130, 100, 350}, {130, 80, 200, 250}};
  const double distance[2][4] = {{10, 21, 31, 45}, {21, 10, 41, 35}};
  for (std::uint32_t node = 0; node < 4; ++node) {
    data.memories.push_back({.id = NodeId{node},
                             .tier = node == 2 ? "hbm" : "dram",
                             .capacity_bytes = std::uint64_t{1} << 30,
                             .free_bytes = {},
                             .source = {}});
    for (std::uint32_t from = 0; from < 2; ++from) {
      Link& link = data.links[{NodeId{from}, NodeId{node}}];
      link.latency_ns.value = latency[from][node];
      link.read_bytes_per_second.value = link.write_bytes_per_second.value = 1e11;
      link.distance = distance[from][node];
    }
  }
  const auto place = [](PlaceKind kind, int index) {
    Place made;
    made.kind = kind;
    made.index = index;
    return made;
  };
  for (int socket = 0; socket < 2; ++socket) {
    const NodeId dram{static_cast<std::uint32_t>(socket)};
    Place package = place(PlaceKind::package, socket);
    package.os_index = socket;
    package.memories = {NodeId{dram.value + 2}};
    Place numa = place(PlaceKind::numa, socket);
    numa.memories = {dram};
    for (int unit = 2 * socket; unit < 2 * socket + 2; ++unit) {
      data.processors.push_back({.os_index = unit, .core = unit, .package = socket, .node = dram});
      Place core = place(PlaceKind::core, unit);
      core.children.push_back(place(PlaceKind::pu, unit));
      core.children.back().os_index = unit;
      numa.children.push_back(std::move(core));
    }
    package.children.push_back(std::move(numa));
    data.root.children.push_back(std::move(package));
  }
  return Machine(std::move(data), "test");
}

/// Returns the memory of four_node_machine(), with `pages` pages on each node.
inline std::map<NodeId, FakeBackend::Node> four_nodes(std::uint64_t pages) {
  const auto node = [&](std::vector<NodeId> next) {
    return FakeBackend::Node{.pages = pages, .next = std::move(next)};
  };
  return {{NodeId{0}, node({NodeId{1}, NodeId{2}, NodeId{3}})},
          {NodeId{1}, node({NodeId{0}, NodeId{3}, NodeId{2}})},
          {NodeId{2}, node({NodeId{0}, NodeId{1}, NodeId{3}})},
          {NodeId{3}, node({NodeId{1}, NodeId{0}, NodeId{2}})}};
}

}  // namespace Atoll::memory
