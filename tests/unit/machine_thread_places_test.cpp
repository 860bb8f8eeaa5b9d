// Assignment of threads to processing units: properties that hold on every preset and on unusual
// machines.
#include "atoll/machine/thread_places.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "atoll/machine/os_places.hpp"
#include "machine_support.hpp"

namespace Atoll {
namespace {

std::map<int, Processor> by_number(const Machine& machine) {
  std::map<int, Processor> processors;
  for (const Processor& processor : machine.processors())
    processors[processor.os_index] = processor;
  return processors;
}

class ThreadPlacesOf : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    processors_ = by_number(machine_);
    for (const auto& [pu, processor] : processors_) cores_.insert(processor.core);
    const int units = static_cast<int>(processors_.size());
    const int cores = static_cast<int>(cores_.size());
    for (const int threads :
         {0, 1, 2, 3, 5, cores - 1, cores, cores + 1, units - 1, units, units + 3})
      if (threads >= 0) counts_.insert(threads);
  }

  /// Checks that each thread is on an existing processing unit, with that unit's node.
  void check_nodes(const ThreadPlaces& places) {
    for (const ThreadPlace& place : places) {
      ASSERT_TRUE(processors_.contains(place.pu));
      EXPECT_EQ(processors_[place.pu].node, place.node);
    }
  }

  Machine machine_ = Machine::open(GetParam());
  std::map<int, Processor> processors_;
  std::set<int> cores_;
  std::set<int> counts_;
};

/// Counts threads by a key of their processing unit.
template <class Key>
auto counted(const ThreadPlaces& places, Key&& key) {
  std::map<decltype(key(0)), int> counts;
  for (const ThreadPlace& place : places) ++counts[key(place.pu)];
  return counts;
}

/// Finds the last-level cache of each processing unit by brute force: the outermost level 3 cache,
/// else level 2.
void add_caches(const Place& place, const Place* cache, std::map<int, const Place*>& caches) {
  if (cache == nullptr && (place.kind == PlaceKind::l3 || place.kind == PlaceKind::l2))
    cache = &place;
  if (place.kind == PlaceKind::pu) caches[place.os_index] = cache;
  for (const Place& child : place.children) add_caches(child, cache, caches);
}

TEST_P(ThreadPlacesOf, OfTheSystem) {
  std::map<int, const Place*> caches;
  add_caches(machine_.root(), nullptr, caches);
  for (const int threads : counts_) {
    if (threads == 0 || threads > static_cast<int>(processors_.size())) continue;
    const ThreadPlaces places = os_places(machine_, threads);
    ASSERT_EQ(places.size(), static_cast<std::size_t>(threads));
    check_nodes(places);
    for (const auto& [pu, count] : counted(places, [](int pu) { return pu; })) EXPECT_EQ(count, 1);
    const auto nodes = counted(places, [&](int pu) { return processors_[pu].node; });
    const int of_nodes = static_cast<int>(machine_.initiators().size());
    for (const auto& [node, count] : nodes) {
      EXPECT_GE(count, threads / of_nodes);
      EXPECT_LE(count, threads / of_nodes + 1);
    }
    EXPECT_EQ(nodes.size(), static_cast<std::size_t>(std::min(threads, of_nodes)));
    // Within a node, threads are distributed evenly over the last-level caches until these have no
    // free processing unit.
    std::map<std::pair<NodeId, const Place*>, std::set<int>> units, cores;
    for (const auto& [pu, processor] : processors_) {
      units[{processor.node, caches[pu]}].insert(pu);
      cores[{processor.node, caches[pu]}].insert(processor.core);
    }
    const auto on =
        counted(places, [&](int pu) { return std::pair(processors_[pu].node, caches[pu]); });
    const auto on_cores = counted(places, [&](int pu) { return processors_[pu].core; });
    for (const auto& [cache, count] : on) {
      for (const auto& [other, members] : units) {
        if (other.first != cache.first || other == cache) continue;
        const int its = on.contains(other) ? on.at(other) : 0;
        if (count > static_cast<int>(members.size())) continue;
        EXPECT_LE(std::abs(count - its), 1);
      }
      if (count > static_cast<int>(cores[cache].size())) continue;
      for (const int core : cores[cache])
        if (on_cores.contains(core)) EXPECT_EQ(on_cores.at(core), 1);
    }
  }
}

TEST_P(ThreadPlacesOf, Compact) {
  for (const int threads : counts_) {
    const ThreadPlaces places = compact_places(machine_, threads);
    ASSERT_EQ(places.size(), threads == 0 ? cores_.size() : static_cast<std::size_t>(threads));
    check_nodes(places);
    std::map<int, int> on_unit;
    std::map<int, int> on_core;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const int core = processors_[places[i].pu].core;
      ++on_unit[places[i].pu];
      ++on_core[core];
      if (i >= processors_.size()) {
        EXPECT_EQ(places[i], places[i - processors_.size()]);  // wraps around
      } else {
        EXPECT_EQ(on_unit[places[i].pu], 1);
      }
      // Locality: with at most one thread per core, thread i is on the i-th core of the tree.
      if (i < cores_.size()) {
        EXPECT_EQ(core, static_cast<int>(i));
      }
    }
    // No core has two threads until every core has one.
    if (places.size() <= cores_.size())
      for (const auto& [core, count] : on_core) EXPECT_EQ(count, 1);
    else
      EXPECT_EQ(on_core.size(), cores_.size());
  }
}

TEST_P(ThreadPlacesOf, Spread) {
  const std::size_t nodes = machine_.initiators().size();
  for (const int threads : counts_) {
    const ThreadPlaces places = spread_places(machine_, threads);
    ASSERT_EQ(places.size(), threads == 0 ? cores_.size() : static_cast<std::size_t>(threads));
    check_nodes(places);
    std::set<NodeId> done;
    std::map<NodeId, std::vector<int>> units_of;
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (i > 0 && places[i].node != places[i - 1].node) {
        EXPECT_TRUE(done.insert(places[i - 1].node).second);
      }
      EXPECT_FALSE(done.contains(places[i].node)) << "threads of a node are not consecutive";
      units_of[places[i].node].push_back(places[i].pu);
    }
    EXPECT_EQ(units_of.size(), std::min(nodes, places.size()));
    for (const auto& [where, units] : units_of) {
      const std::size_t least = places.size() / nodes;
      EXPECT_GE(units.size(), least);
      EXPECT_LE(units.size(), least + 1);
      EXPECT_EQ(threads_on(places, where), static_cast<int>(units.size()));
      std::set<int> cores_of_node;
      std::set<int> all_units;
      for (const auto& [pu, processor] : processors_)
        if (processor.node == where) cores_of_node.insert(processor.core), all_units.insert(pu);
      std::set<int> distinct(units.begin(), units.end());
      std::set<int> cores;
      for (const int pu : units) cores.insert(processors_[pu].core);
      EXPECT_EQ(distinct.size(), std::min(units.size(), all_units.size()));
      EXPECT_EQ(cores.size(), std::min(units.size(), cores_of_node.size()));
    }
  }
}

TEST_P(ThreadPlacesOf, Listed) {
  std::vector<int> units;
  for (const auto& [pu, processor] : processors_) units.push_back(pu);
  std::reverse(units.begin(), units.end());
  const ThreadPlaces places = listed_places(machine_, units);
  ASSERT_EQ(places.size(), units.size());
  for (std::size_t i = 0; i < units.size(); ++i) EXPECT_EQ(places[i].pu, units[i]);
  check_nodes(places);
  EXPECT_EQ(nodes_of(places), machine_.initiators());
  units = {units.front(), units.front()};  // one unit may be listed twice
  EXPECT_EQ(listed_places(machine_, units).size(), 2U);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Presets, ThreadPlacesOf, testing::ValuesIn(Machine::preset_names()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(
    Others, ThreadPlacesOf,
    testing::Values("pu:1", "numa:3 core:2 pu:1", "pack:2 core:1 pu:3",
                    "numa:2 pack:2 l2:3 core:1 pu:2",
                    "pack:2 [numa(memory=1GB)] [numa(memory=1GB)] core:3 pu:2"),
    test_name);

TEST(ThreadPlaces, FewThreadsSpreadFarApart) {
  const Machine opteron = Machine::open("opteron-8x8");
  EXPECT_EQ(nodes_of(spread_places(opteron, 2)), (std::vector{node(0), node(4)}));
  EXPECT_EQ(nodes_of(spread_places(opteron, 4)), (std::vector{node(0), node(2), node(4), node(6)}));
  EXPECT_EQ(nodes_of(compact_places(opteron, 8)), std::vector{node(0)});
}

TEST(ThreadPlaces, SecondThreadsOfCoresComeLast) {
  const Machine xeon = Machine::open("xeon-4x8x2");  // units 0 and 32 share a core
  const ThreadPlaces places = compact_places(xeon, 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(places[static_cast<std::size_t>(i)].pu, i);
  const ThreadPlaces spread = spread_places(xeon, 64);
  EXPECT_EQ(spread[0].pu, 0);
  EXPECT_EQ(spread[7].pu, 7);
  EXPECT_EQ(spread[8].pu, 32);
  EXPECT_EQ(spread[16], (ThreadPlace{8, node(1)}));
}

TEST(ThreadPlaces, WithoutCoresEachProcessingUnitIsOne) {
  const Machine machine = Machine::from_json(R"({"atoll_machine": 1, "name": "coreless",
    "sources": {"s": {"origin": "user", "text": "t"}}, "places": "2 numa > 3 pu",
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [{"latency": ["9 ns", "s"], "read": ["1 GB/s", "s"], "write": ["1 GB/s", "s"]},
              {"common": "numa", "distance": 10}, {"common": "machine", "distance": 20}]})",
                                             "coreless");
  EXPECT_EQ(compact_places(machine).size(), 6U);
  EXPECT_EQ(spread_places(machine, 2), (ThreadPlaces{{0, node(0)}, {3, node(1)}}));
}

TEST(ThreadPlaces, RefusesWhatIsNotThere) {
  const Machine machine = Machine::open("numa:2 core:2 pu:1");
  const std::vector<int> units{0, 4};
  EXPECT_NE(input_error([&] {
              static_cast<void>(listed_places(machine, units));
            }).find("no processing unit 4"),
            std::string::npos);
  EXPECT_NE(input_error([&] { static_cast<void>(compact_places(machine, -1)); }).find("-1 threads"),
            std::string::npos);
  EXPECT_NE(input_error([&] { static_cast<void>(spread_places(machine, -2)); }).find("-2 threads"),
            std::string::npos);
  EXPECT_TRUE(listed_places(machine, {}).empty());
  EXPECT_EQ(threads_on({}, node(0)), 0);
}

TEST(OsPlaces, NeighboursAreOnOneNode) {
  const Machine machine = Machine::open("xeon-4x8x2");
  std::vector<NodeId> nodes;
  for (const ThreadPlace& place : os_places(machine, 9)) nodes.push_back(place.node);
  EXPECT_EQ(threads_by_node(nodes),
            "threads 0-2 on node 0, 3-4 on node 1, 5-6 on node 2, 7-8 on node 3");
  EXPECT_EQ(threads_by_node(std::vector{NodeId{2}}), "thread 0 on node 2");
}

}  // namespace
}  // namespace Atoll
