// The place tree and its views. Figure 2 a-c of [memory-centric] shows three views of one machine.
#include <functional>
#include <map>

#include "atoll/machine/place.hpp"
#include "machine_support.hpp"

namespace Atoll {
namespace {

using K = PlaceKind;

/// A Cray XE6 node: two packages of two dies, six cores each.
Machine cray_xe6() {
  return Machine::from_json(R"({
    "atoll_machine": 1, "name": "XE6",
    "sources": {"test": {"origin": "user", "text": "test"}},
    "places": "2 package > 2 numa > l3 6 MiB > 6 l2 512 KiB > l1 64 KiB > core > pu",
    "memories": [{"nodes": "0-3", "at": "numa", "tier": "dram", "capacity": ["8 GiB", "test"]}],
    "links": [{"latency": ["100 ns", "test"], "read": ["10 GB/s", "test"], "write": ["5 GB/s", "test"]},
              {"common": "numa", "distance": 10}, {"common": "package", "distance": 16},
              {"common": "machine", "distance": 22}]})",
                            "XE6");
}

/// Counts the places of each kind.
std::map<K, int> counts(const Place& root) {
  std::map<K, int> all;
  const std::function<void(const Place&)> count = [&](const Place& place) {
    ++all[place.kind];
    for (const Place& child : place.children) count(child);
  };
  count(root);
  return all;
}

std::vector<K> first_branch(const Place& root) {
  std::vector<K> kinds{root.kind};
  for (const Place* place = &root; !place->children.empty();) {
    place = &place->children.front();
    kinds.push_back(place->kind);
  }
  return kinds;
}

TEST(MachinePlaces, FigureTwoA) {  // all levels except packages, which the figure omits
  const Place view = hide(cray_xe6().root(), {K::package, K::pu});
  EXPECT_EQ(first_branch(view), (std::vector{K::machine, K::numa, K::l3, K::l2, K::l1, K::core}));
  EXPECT_EQ(
      counts(view),
      (std::map<K, int>{
          {K::machine, 1}, {K::numa, 4}, {K::l3, 4}, {K::l2, 24}, {K::l1, 24}, {K::core, 24}}));
  EXPECT_TRUE(view.memories.empty());
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(view.children[i].memories, std::vector{node(i)});
    EXPECT_EQ(view.children[i].children.front().cache_bytes, 6U << 20);
    EXPECT_EQ(view.children[i].children.front().children.size(), 6U);
  }
}

TEST(MachinePlaces, FigureTwoB) {  // caches hidden, NUMA nodes shown
  const Place view = hide(cray_xe6().root(), {K::package, K::l3, K::l2, K::l1, K::pu});
  EXPECT_EQ(counts(view), (std::map<K, int>{{K::machine, 1}, {K::numa, 4}, {K::core, 24}}));
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(view.children[i].memories, std::vector{node(i)});
    ASSERT_EQ(view.children[i].children.size(), 6U);
    for (unsigned c = 0; c < 6; ++c)
      EXPECT_EQ(view.children[i].children[c].index, static_cast<int>(6 * i + c));
  }
}

TEST(MachinePlaces, FigureTwoC) {  // flat: the cores are directly below the memory
  const Place view = hide(cray_xe6().root(), {K::package, K::numa, K::l3, K::l2, K::l1, K::pu});
  EXPECT_EQ(counts(view), (std::map<K, int>{{K::machine, 1}, {K::core, 24}}));
  EXPECT_EQ(view.memories, (std::vector{node(0), node(1), node(2), node(3)}));
}

TEST(MachinePlaces, HidingNothingChangesNothing) {
  for (const std::string& name : Machine::preset_names()) {
    const Machine machine = Machine::open(name);
    EXPECT_EQ(hide(machine.root(), {}), machine.root()) << name;
  }
}

TEST(MachinePlaces, MachineAndParentsOfProcessingUnitsStay) {
  const std::vector<K> all{K::machine, K::group, K::package, K::numa, K::l3, K::l2, K::l1, K::core};
  for (const std::string& name : Machine::preset_names()) {
    const Machine machine = Machine::open(name);
    const Place view = hide(machine.root(), all);
    EXPECT_EQ(first_branch(view), (std::vector{K::machine, K::core, K::pu})) << name;
    EXPECT_EQ(counts(view)[K::pu], static_cast<int>(machine.processors().size())) << name;
    EXPECT_EQ(view.memories.size(), machine.memories().size()) << name;
  }
}

TEST(MachinePlaces, MemoriesMoveUpOneLevelOnly) {  // the expander of cxl-2s moves up to its package
  const Place view = hide(Machine::open("cxl-2s").root(), {K::numa});
  EXPECT_TRUE(view.memories.empty());
  EXPECT_EQ(view.children[0].memories, (std::vector{node(0), node(2)}));
  EXPECT_EQ(view.children[1].memories, std::vector{node(1)});
}

}  // namespace
}  // namespace Atoll
