// Orderings of memories, compared with a naive selection on every preset. Also ties, and orderings
// defined in the file.
#include <set>

#include "machine_support.hpp"

namespace Atoll {
namespace {

constexpr Ordering kAll[] = {Ordering::latency, Ordering::bandwidth, Ordering::capacity};

/// Returns true if `a` precedes `b` by the documented rules.
bool before(const Machine& machine, NodeId from, Ordering ordering, NodeId a, NodeId b) {
  const Link& to_a = machine.link(from, a);
  const Link& to_b = machine.link(from, b);
  auto better_a = static_cast<double>(machine.memory(a).capacity_bytes);
  auto better_b = static_cast<double>(machine.memory(b).capacity_bytes);
  if (ordering == Ordering::latency)
    better_a = -to_a.latency_ns.value, better_b = -to_b.latency_ns.value;
  if (ordering == Ordering::bandwidth)
    better_a = to_a.read_bytes_per_second.value, better_b = to_b.read_bytes_per_second.value;
  if (better_a != better_b) return better_a > better_b;
  if (to_a.distance != to_b.distance) return to_a.distance < to_b.distance;
  return a < b;
}

TEST(MachineOrder, EveryPairOfEveryPresetIsInOrder) {
  for (const std::string& name : Machine::preset_names()) {
    const Machine machine = Machine::open(name);
    std::vector<NodeId> from_nodes = machine.initiators();
    if (from_nodes.size() > 16) from_nodes = {node(0), node(77), node(255)};  // altix-3700
    for (const NodeId from : from_nodes)
      for (const Ordering ordering : kAll) {
        const std::vector<NodeId> order = machine.order(from, ordering);
        EXPECT_EQ(std::set(order.begin(), order.end()).size(), machine.memories().size()) << name;
        EXPECT_FALSE(machine.order_is_by_hand(from, ordering));
        for (std::size_t i = 0; i + 1 < order.size(); ++i)
          EXPECT_TRUE(before(machine, from, ordering, order[i], order[i + 1]))
              << name << " from " << from.value << " at " << i;
      }
  }
}

TEST(MachineOrder, HbmFirstByBandwidthLastOfThePackageByLatency) {
  const Machine machine = Machine::open("hbm-2s");
  EXPECT_EQ(machine.order(node(1), Ordering::bandwidth),
            (std::vector{node(3), node(1), node(0), node(2)}));
  EXPECT_EQ(machine.order(node(1), Ordering::latency),
            (std::vector{node(1), node(3), node(0), node(2)}));
  EXPECT_EQ(machine.order(node(1), Ordering::capacity),
            (std::vector{node(1), node(0), node(3), node(2)}));
}

/// One initiator and four memories that differ only in `links`.
Machine alike(const std::string& links, const std::string& orders = "[]") {
  return Machine::from_json(R"({"atoll_machine": 1, "name": "alike",
    "sources": {"s": {"origin": "user", "text": "test"}},
    "places": "numa > core > pu",
    "memories": [{"nodes": "0-3", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [{"write": ["1 GB/s", "s"]}, )" +
                                links + R"(], "orders": )" + orders + "}",
                            "alike");
}

constexpr const char* kSame = R"({"latency": ["9 ns", "s"], "read": ["1 GB/s", "s"]})";

TEST(MachineOrder, TiesGoByDistanceThenNumber) {
  const Machine machine = alike(std::string(kSame) + R"(,
    {"pairs": [["0", "0"]], "distance": 10}, {"pairs": [["0", "1,3"]], "distance": 30},
    {"pairs": [["0", "2"]], "distance": 20})");
  for (const Ordering ordering : kAll)
    EXPECT_EQ(machine.order(node(0), ordering), (std::vector{node(0), node(2), node(1), node(3)}));
}

TEST(MachineOrder, ByHandWins) {
  const Machine machine = alike(std::string(kSame) + R"(,
    {"pairs": [["0", "0"]], "distance": 10}, {"pairs": [["0", "1-3"]], "distance": 30})",
                                R"([{"from": "0", "by": "bandwidth", "nodes": "3,1-2,0"}])");
  EXPECT_EQ(machine.order(node(0), Ordering::bandwidth),
            (std::vector{node(3), node(1), node(2), node(0)}));
  EXPECT_TRUE(machine.order_is_by_hand(node(0), Ordering::bandwidth));
  EXPECT_EQ(machine.order(node(0), Ordering::latency),
            (std::vector{node(0), node(1), node(2), node(3)}));
  EXPECT_FALSE(machine.order_is_by_hand(node(0), Ordering::latency));
  EXPECT_EQ(Machine::from_json(machine.to_json(), "again"), machine);
}

TEST(MachineOrder, NearestInitiator) {
  const Machine hbm = Machine::open("hbm-2s");
  EXPECT_EQ(hbm.nearest_initiator(node(0)), node(0));
  EXPECT_EQ(hbm.nearest_initiator(node(1)), node(1));
  EXPECT_EQ(hbm.nearest_initiator(node(2)), node(0));
  EXPECT_EQ(hbm.nearest_initiator(node(3)), node(1));
  const Machine cxl = Machine::open("cxl-2s");
  EXPECT_EQ(cxl.nearest_initiator(node(2)), node(0));
  // All nodes are equally distant: the first one is chosen.
  const Machine synthetic =
      Machine::open("pack:1 [numa(memory=1GB)] group:3 [numa(memory=1GB)] core:2 pu:1");
  EXPECT_EQ(synthetic.nearest_initiator(node(3)), node(0));
}

TEST(MachineOrder, AsksForWhatIsThere) {
  const Machine machine = Machine::open("cxl-2s");
  EXPECT_TRUE(machine.has_memory(node(2)));
  EXPECT_FALSE(machine.has_memory(node(3)));
  EXPECT_NE(input_error([&] { static_cast<void>(machine.memory(node(3))); }).find("0-2"),
            std::string::npos);
  EXPECT_NE(input_error([&] {
              static_cast<void>(machine.link(node(2), node(0)));
            }).find("processing units belong to 0-1"),
            std::string::npos);
}

}  // namespace
}  // namespace Atoll
