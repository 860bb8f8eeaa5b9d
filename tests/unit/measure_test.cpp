// A complete measurement with one processing unit of this machine and fake memories: choice of the
// pairs, and the report about the others.
#include "atoll/measure/measure.hpp"

#include <gtest/gtest.h>

#include "atoll/base/error.hpp"
#include "atoll/base/units.hpp"
#include "fake_backend.hpp"

namespace Atoll::measure {
namespace {

/// A machine whose node 0 has a processing unit, and whose nodes 1 to 3 have none.
Machine expanded_machine() {
  const int unit = Machine::this_computer().processors().front().os_index;
  return Machine::from_json(
      R"({"atoll_machine": 1, "name": "pretended",
        "sources": {"s": {"origin": "estimated", "text": "for a test"}},
        "places": "package > numa > l2 16 KiB > core > pu", "pu_numbers": ")" +
          std::to_string(unit) + R"(",
        "memories": [{"nodes": "0", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]},
                     {"nodes": "1-3", "at": "package", "tier": "cxl", "capacity": ["1 GiB", "s"]}],
        "links": [{"read": ["1 GB/s", "s"], "write": ["1 GB/s", "s"], "latency": ["90 ns", "s"]},
                  {"pairs": [["0", "0"]], "distance": 10},
                  {"pairs": [["0", "1-3"]], "distance": 30}]})",
      "test.json");
}

std::map<NodeId, memory::FakeBackend::Node> nodes(std::uint64_t pages) {
  std::map<NodeId, memory::FakeBackend::Node> all;
  for (std::uint32_t i = 0; i < 4; ++i)
    all[NodeId{i}] = {.pages = pages,
                      .next = {NodeId{(i + 1) % 4}, NodeId{(i + 2) % 4}, NodeId{(i + 3) % 4}}};
  return all;
}

/// A memory in which the system moves one page away whenever a block is placed on `restless`.
class Restless final : public memory::FakeBackend {
 public:
  using FakeBackend::FakeBackend;
  NodeId restless{99};

  void prevent_migration(memory::Range range, std::span<const NodeId> wished) override {
    FakeBackend::prevent_migration(range, wished);
    if (wished.front() == restless)
      migrate(std::vector<memory::Range>{{range.data, kPageBytes}}, NodeId{0});
  }

 private:
  static constexpr std::size_t kPageBytes = 4096;
};

constexpr std::uint64_t kPages = 4 * kMiB / 4096;

TEST(Measure, EveryMemoryThatHasRoomAndKeepsItsPages) {
  Restless memory(nodes(4 * kPages));
  memory.others_take(NodeId{1}, 3 * kPages);  // 4 MiB are left; at most half may be used
  memory.restless = NodeId{2};
  const Machine before = expanded_machine();
  const Result result =
      measure_links(before, {.buffer_bytes = 4 * kMiB, .seconds_a_figure = 0, .backend = memory});
  EXPECT_FALSE(memory.killed());
  EXPECT_EQ(memory.pages_mapped(), 0U);
  EXPECT_EQ(memory.reservations(), 0U);

  ASSERT_EQ(result.unmeasured.size(), 2U);
  EXPECT_EQ(result.unmeasured[0].memory, NodeId{1});
  EXPECT_EQ(result.unmeasured[0].why,
            "4 MiB available, of which at most half is taken; the buffer is 4 MiB");
  EXPECT_EQ(result.unmeasured[1].memory, NodeId{2});
  EXPECT_EQ(result.unmeasured[1].why, "only 1023 of its 1024 pages were there");

  for (const NodeId target : {NodeId{1}, NodeId{2}})
    EXPECT_EQ(result.machine.link(NodeId{0}, target), before.link(NodeId{0}, target));
  for (const NodeId target : {NodeId{0}, NodeId{3}}) {
    const Link& link = result.machine.link(NodeId{0}, target);
    EXPECT_EQ(link.latency_ns.source.origin, Origin::measured);
    EXPECT_TRUE(link.latency_ns.source.text.starts_with("pointer chase through 4 MiB in "));
    EXPECT_GT(link.latency_ns.value, 0);
    EXPECT_LT(link.latency_ns.value, 1e6);
    ASSERT_EQ(link.by_threads.size(), 1U);
    EXPECT_EQ(link.by_threads[0].threads, 1);
    EXPECT_GT(link.by_threads[0].copy_bytes_per_second.value, 1e5);
    EXPECT_EQ(link.read_bytes_per_second, link.by_threads[0].read_bytes_per_second);
  }
}

// Other processes allocate the memory after the check and before the placement.
TEST(Measure, AMemoryThatFillsUpMeanwhileIsLeftOut) {
  memory::FakeBackend memory(nodes(4 * kPages));
  memory.before_populate = [](memory::FakeBackend& fake) {
    if (const std::uint64_t left = fake.free_pages(NodeId{3}); left > kPages / 2)
      fake.others_take(NodeId{3}, static_cast<std::int64_t>(left - kPages / 2));
  };
  const Result result = measure_links(
      expanded_machine(), {.buffer_bytes = 4 * kMiB, .seconds_a_figure = 0, .backend = memory});
  ASSERT_EQ(result.unmeasured.size(), 1U);
  EXPECT_EQ(result.unmeasured[0].memory, NodeId{3});
  EXPECT_FALSE(memory.killed());
}

TEST(Measure, NothingToMeasureIsAnError) {
  memory::FakeBackend memory(nodes(kPages));
  try {
    static_cast<void>(
        measure_links(expanded_machine(), {.buffer_bytes = 4 * kMiB, .backend = memory}));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::failed);
    EXPECT_NE(std::string(error.what()).find("no memory could be measured: memory 0: 4 MiB"),
              std::string::npos)
        << error.what();
  }
}

// By default, the buffers exceed the caches. In a trial they don't, and the source of the figures
// says so.
TEST(Measure, TheSourceTellsOfBuffersThatCachesMayHold) {
  memory::FakeBackend memory(nodes(4 * kPages));
  const Machine small = expanded_machine();
  Machine::Data data = small.data();
  data.root.children[0].children[0].children[0].cache_bytes = 3 * kMiB;
  data.caches.l2_bytes = 3 * kMiB;
  const Options options{.buffer_bytes = 4 * kMiB, .seconds_a_figure = 0, .backend = memory};
  const auto source = [&](const Machine& machine) {
    return measure_links(machine, options)
        .machine.link(NodeId{0}, NodeId{0})
        .latency_ns.source.text;
  };
  EXPECT_EQ(source(small).find("caches"), std::string::npos);
  EXPECT_NE(source(Machine(data, "test")).find("(trial: caches of 3 MiB may hold much of it)"),
            std::string::npos);
}

}  // namespace
}  // namespace Atoll::measure
