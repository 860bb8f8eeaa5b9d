// Containers on memory of several nodes. Each page that has an element, and each page that the
// resource has mapped, is on the node of its layout, according to the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "atoll/array/placed_memory_resource.hpp"
#include "guest_system.hpp"

namespace Atoll {
namespace {

using guest::kHuge;
using guest::kMiB;
using guest::kPage;
using guest::node_of;

class Containers : public guest::MemoryInGuest {
 protected:
  using Vector = std::vector<double, Allocator<double>>;
  using Entry = std::pair<const int, double>;
  using HashMap =
      std::unordered_map<int, double, std::hash<int>, std::equal_to<>, Allocator<Entry>>;

  /// Fills a vector, a hash map and trees, and calls each(address) for their elements.
  template <class Each>
  static void fill_and_look(PlacedMemoryResource& resource, Each&& each) {
    Vector vector(resource);
    HashMap hashed(resource);
    std::pmr::map<int, double> tree(&resource);
    std::pmr::set<std::pmr::string> names(&resource);
    for (int i = 0; i < 200'000; ++i) vector.push_back(i);
    for (int i = 0; i < 10'000; ++i) {
      hashed[i * 7919] = i;
      tree[i] = i;
      names.emplace("a name that has to have memory of its own: " + std::to_string(i));
    }
    for (int i = 0; i < 10'000; i += 3) tree.erase(i);
    for (int i = 0; i < 10'000; i += 2) tree[i] = 2 * i;
    for (std::size_t i = 0; i < vector.size(); i += 256) {
      ASSERT_EQ(vector[i], static_cast<double>(i));
      each(&vector[i]);
    }
    ASSERT_EQ(hashed.size(), 10'000U);
    for (const auto& entry : hashed) each(&entry);
    for (const auto& entry : tree) {
      ASSERT_EQ(entry.second, entry.first % 2 == 0 ? 2 * entry.first : entry.first);
      each(&entry);
    }
    for (const auto& name : names) {
      each(&name);
      each(name.data());
    }
  }
};

TEST_F(Containers, OnOneNodeEveryPageIsThere) {
  for (const NodeId node : {nodes_.back(), nodes_.front()})
    for (const PageSize pages : {PageSize::small, PageSize::huge}) {
      SCOPED_TRACE(std::to_string(node.value) + ", " + std::string(to_string(pages)));
      PlacedMemoryResource resource(context_, {SingleNode{node}, pages});
      fill_and_look(resource, [&](const void* address) { ASSERT_EQ(node_of(address), node); });
      const CopyWhereabouts where = resource.where();
      EXPECT_EQ(where.misplaced, 0U);
      EXPECT_EQ(where.pages_by_node, (std::map<NodeId, std::uint64_t>{{node, where.pages.size()}}));
      EXPECT_EQ(where.pages.size() * kPage, resource.statistics().bytes_mapped);
      EXPECT_EQ(resource.statistics().bytes_in_use, 0U);
    }
}

TEST_F(Containers, DistributedPageByPage) {
  const std::vector<NodeId> nodes{nodes_[2], nodes_[0], nodes_[1]};
  for (const auto& [pages, granule] :
       {std::pair{PageSize::small, kPage}, std::pair{PageSize::huge, kHuge}}) {
    SCOPED_TRACE(to_string(pages));
    PlacedMemoryResource resource(context_, {Distributed{nodes, granule}, pages});
    std::set<NodeId> found;
    fill_and_look(resource, [&](const void* address) { found.insert(node_of(address)); });
    EXPECT_GE(found.size(), pages == PageSize::small ? 3U : 2U);  // few 2 MiB chunks are used
    // In one large vector, successive granules are on successive nodes of the list.
    const Vector large(3 * kMiB, 1.0, resource);
    const auto* const data = reinterpret_cast<const std::byte*>(large.data());
    const std::vector<NodeId> there = guest::nodes_of_pages(data, large.size() * sizeof(double));
    const auto first = static_cast<std::size_t>(
        std::find(nodes.begin(), nodes.end(), there.front()) - nodes.begin());
    for (std::size_t page = 0; page < there.size(); ++page)
      ASSERT_EQ(there[page], nodes[(first + page * kPage / granule) % 3]) << page;
    const CopyWhereabouts where = resource.where();
    EXPECT_EQ(where.misplaced, 0U);
    for (const NodeId node : nodes)
      EXPECT_NEAR(static_cast<double>(where.pages_by_node.at(node)),
                  static_cast<double>(where.pages.size()) / 3,
                  static_cast<double>(granule) / kPage);
  }
}

TEST_F(Containers, PartitionedOnesGrowOnTheNodeOfTheirThread) {
  std::vector<NodeId> parts;
  for (const ThreadPlace& place : team_.places()) parts.push_back(place.node);
  PlacedMemoryResource resource(context_, {Partitioned{parts}, PageSize::small});
  team_.run([&](int) {
    const NodeId here = current_place().node;
    std::pmr::map<int, double> tree(&resource);
    std::pmr::unordered_map<int, double> hashed(&resource);
    std::pmr::vector<std::pmr::vector<int>> rows(100, &resource);
    for (int i = 0; i < 20'000; ++i) {
      tree[i] = hashed[i] = i;
      rows[static_cast<std::size_t>(i) % rows.size()].push_back(i);
    }
    for (const auto& entry : tree) ASSERT_EQ(node_of(&entry), here);
    for (const auto& entry : hashed) ASSERT_EQ(node_of(&entry), here);
    for (const auto& row : rows) ASSERT_EQ(node_of(&row.back()), here);
  });
  EXPECT_EQ(resource.where().misplaced, 0U);
  const Vector large(kMiB, 1.0, resource);
  const std::size_t part = large.size() / parts.size();
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_EQ(node_of(&large[i * part + part / 2]), parts[i]) << i;
}

TEST_F(Containers, ThreadsOfEveryNodeGrowContainersOnAnother) {
  PlacedMemoryResource resource(context_, {SingleNode{nodes_.back()}, PageSize::small});
  team_.run([&](int) {
    Vector mine(resource);
    for (int i = 0; i < 300'000; ++i) mine.push_back(i);
    for (std::size_t i = 0; i < mine.size(); i += 512) ASSERT_EQ(node_of(&mine[i]), nodes_.back());
  });
  EXPECT_EQ(resource.where().misplaced, 0U);
}

TEST_F(Containers, MemoryGoesBackToTheSystem) {
  PlacedMemoryResource resource(context_, {SingleNode{nodes_[1]}, PageSize::small});
  const auto free_bytes = [&] { return memory::system_backend().available(PageSize::small); };
  const std::uint64_t before = free_bytes().bytes_by_node.at(nodes_[1]);
  {
    std::pmr::list<std::array<char, 200>> list(&resource);
    for (int i = 0; i < 200'000; ++i) list.emplace_back();
    EXPECT_LT(free_bytes().bytes_by_node.at(nodes_[1]) + 40 * kMiB, before);
  }
  EXPECT_LE(resource.statistics().bytes_mapped, 2 * kMiB);
  EXPECT_GT(free_bytes().bytes_by_node.at(nodes_[1]) + 4 * kMiB, before);
}

}  // namespace
}  // namespace Atoll
