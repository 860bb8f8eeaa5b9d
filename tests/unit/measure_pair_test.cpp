// Figures of a pair computed from known times, and their effect on a machine.
#include <gtest/gtest.h>

#include <deque>
#include <sstream>
#include <string>

#include "atoll/base/units.hpp"
#include "machine_support.hpp"
#include "measure/buffer.hpp"
#include "measure/huge_pages.hpp"
#include "measure/links.hpp"
#include "measure/pair.hpp"

namespace Atoll::measure {
namespace {

/// A probe that returns known times and records its calls.
class FakeProbe final : public Probe {
 public:
  double ns_a_load = 125;
  double bytes_per_second_a_thread[3] = {10e9, 5e9, 8e9};
  std::deque<double> slower{1};  ///< factors of successive trials, repeated cyclically
  double taken = 0;
  double bytes = 0;
  std::vector<std::string> calls;
  double seconds = 0;

  Trial chase(std::uint64_t loads) override {
    calls.push_back("chase " + std::to_string(loads));
    return trial(ns_a_load * 1e-9 * static_cast<double>(loads));
  }
  Trial pass(Kernel kernel, int threads) override {
    calls.push_back("pass " + std::to_string(threads));
    return trial(bytes / (bytes_per_second_a_thread[static_cast<int>(kernel)] * threads));
  }

 private:
  Trial trial(double time) {
    time *= slower.front();
    slower.push_back(slower.front());
    slower.pop_front();
    seconds += time;
    return {time, taken};
  }
};

PairPlan plan_of(const FakeProbe& probe, double seconds) {
  return {.bytes = static_cast<std::uint64_t>(probe.bytes),
          .trial_loads = 1000,
          .warm_up_loads = 77,
          .thread_counts = {1, 2, 3},
          .seconds_a_figure = seconds};
}

TEST(MeasurePair, FiguresAreThoseOfTheBestTrial) {
  FakeProbe probe;
  probe.bytes = 1e9;
  probe.slower = {1.5, 1, 3};  // one factor for each of three trials
  int done = 0;
  const PairFigures figures = measure_pair(probe, plan_of(probe, 0), [&] { ++done; });
  EXPECT_DOUBLE_EQ(figures.latency_ns, 125);
  ASSERT_EQ(figures.rows.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(figures.rows[i].threads, i + 1);
    for (int kernel = 0; kernel < 3; ++kernel)
      EXPECT_DOUBLE_EQ(figures.rows[i].bytes_per_second[kernel],
                       probe.bytes_per_second_a_thread[kernel] * (i + 1));
  }
  EXPECT_EQ(done, 10);  // the latency, and three kernels for each thread count
}

TEST(MeasurePair, ChasesComeFirstAndWarmUpBeforeThem) {
  FakeProbe probe;
  probe.bytes = 1e9;
  static_cast<void>(measure_pair(probe, plan_of(probe, 0), [] {}));
  ASSERT_EQ(probe.calls.size(), 1 + 3 + 3 * 3 * 3U);
  EXPECT_EQ(probe.calls[0], "chase 77");
  for (int i = 1; i < 4; ++i) EXPECT_EQ(probe.calls[i], "chase 1000");
  EXPECT_EQ(probe.calls[4], "pass 1");
  EXPECT_EQ(probe.calls.back(), "pass 3");
}

TEST(MeasurePair, TrialsGoOnForTheTimeAskedFor) {
  FakeProbe probe;
  probe.bytes = 1e8;  // 10 ms per pass at 10 GB/s
  static_cast<void>(measure_pair(probe, plan_of(probe, 0.5), [] {}));
  EXPECT_GE(probe.seconds, 10 * 0.5);
  EXPECT_LE(probe.seconds, 10 * 0.5 + 10 * 0.021);  // each may exceed its time by one trial
}

TEST(MeasurePair, TellsWhatOthersTookFromTheTrialsThatCount) {
  FakeProbe probe;
  probe.bytes = 1e8;
  EXPECT_EQ(measure_pair(probe, plan_of(probe, 0), [] {}).taken_by_others, 0);
  probe.taken = 0.25;
  EXPECT_EQ(measure_pair(probe, plan_of(probe, 0), [] {}).taken_by_others, 0.25);
}

TEST(MeasurePair, ThreadCountsDoubleUpToAll) {
  EXPECT_EQ(thread_counts(1), std::vector{1});
  EXPECT_EQ(thread_counts(2), (std::vector{1, 2}));
  EXPECT_EQ(thread_counts(6), (std::vector{1, 2, 4, 6}));
  EXPECT_EQ(thread_counts(8), (std::vector{1, 2, 4, 8}));
}

// --- buffers -----------------------------------------------------------------------------------

TEST(MeasureBuffer, CachesAroundANodeAreAddedUp) {
  const Machine machine = Machine::from_json(R"({"atoll_machine": 1, "name": "caches",
    "sources": {"s": {"origin": "user", "text": "t"}},
    "places": [{"chain": "package > numa", "inside":
                 ["2 l3 8 MiB > 2 l2 1 MiB > l1 32 KiB > core > pu"]},
               "package > numa > 2 l2 3 MiB > l1 32 KiB > core > pu"],
    "memories": [{"nodes": "0-1", "at": "numa", "tier": "dram", "capacity": ["1 GiB", "s"]}],
    "links": [{"read": ["1 GB/s", "s"], "write": ["1 GB/s", "s"], "latency": ["90 ns", "s"]},
              {"common": "numa", "distance": 10}, {"common": "machine", "distance": 20}]})",
                                             "caches.json");
  EXPECT_EQ(caches_around(machine, node(0)), (2 * 8 + 4 * 1) * kMiB);
  EXPECT_EQ(caches_around(machine, node(1)), 2 * 3 * kMiB);
}

memory::Available room(std::uint64_t on_node, std::uint64_t in_all = UINT64_MAX,
                       std::uint64_t cgroup = UINT64_MAX) {
  return {.bytes_by_node = {{node(3), on_node}}, .bytes_in_all = in_all, .cgroup_bytes = cgroup};
}

TEST(MeasureBuffer, FourTimesTheCachesWhereThereIsRoom) {
  EXPECT_EQ(plan_buffer(room(64 * kGiB), node(3), 264 * kMiB, 0).bytes, 1056 * kMiB);
  EXPECT_EQ(plan_buffer(room(64 * kGiB), node(3), 263 * kMiB, 0).bytes, 1052 * kMiB);
  EXPECT_EQ(plan_buffer(room(64 * kGiB), node(3), kMiB, 0).bytes, 256 * kMiB);
  EXPECT_EQ(plan_buffer(room(64 * kGiB), node(3), 264 * kMiB, 5 * kMiB).bytes, 8 * kMiB);
}

TEST(MeasureBuffer, NeverMoreThanHalfOfWhatIsAvailable) {
  for (const memory::Available& available :
       {room(1200 * kMiB), room(9 * kGiB, 1200 * kMiB), room(9 * kGiB, 9 * kGiB, 1200 * kMiB)})
    EXPECT_EQ(plan_buffer(available, node(3), 264 * kMiB, 0).bytes, 600 * kMiB);
  // 528 MiB are just enough for a buffer of twice the caches; 1 MiB less isn't
  EXPECT_EQ(plan_buffer(room(1056 * kMiB), node(3), 264 * kMiB, 0).bytes, 528 * kMiB);
  const Buffer none = plan_buffer(room(1055 * kMiB), node(3), 264 * kMiB, 0);
  EXPECT_EQ(none.bytes, 0U);
  EXPECT_EQ(none.why_not,
            "1.03 GiB available, of which at most half is taken; twice the caches' 264 MiB are "
            "needed");
  const Buffer asked = plan_buffer(room(30 * kMiB), node(3), 264 * kMiB, 16 * kMiB);
  EXPECT_EQ(asked.bytes, 0U);
  EXPECT_EQ(asked.why_not,
            "30 MiB available, of which at most half is taken; the buffer is 16 MiB");
  EXPECT_EQ(plan_buffer(room(7 * kMiB), node(3), 0, 0).bytes, 0U);
}

TEST(MeasureBuffer, NotOnANodeThatIsClosedToThisProcess) {
  const Buffer none = plan_buffer(room(kGiB), node(2), kMiB, 0);
  EXPECT_EQ(none.bytes, 0U);
  EXPECT_NE(none.why_not.find("may not allocate there"), std::string::npos);
}

TEST(MeasureHugePages, AreThoseOfTheMappingAround) {
  std::istringstream smaps(R"(7f0000000000-7f0000200000 rw-p 00000000 00:00 0
Size:               2048 kB
AnonHugePages:      2048 kB
7f0000200000-7f0000a00000 rw-p 00000000 00:00 0
Size:               8192 kB
AnonHugePages:      6144 kB
7f0000a00000-7f0000e00000 rw-p 00000000 00:00 0    [heap]
AnonHugePages:         0 kB
)");
  const auto at = [&](std::uintptr_t address, std::uint64_t bytes) {
    smaps.clear();
    smaps.seekg(0);
    return huge_page_bytes(smaps, address, bytes);
  };
  EXPECT_EQ(at(0x7f0000200000, 8 * kMiB), 6 * kMiB);
  EXPECT_EQ(at(0x7f00009fffff, 8 * kMiB), 6 * kMiB);
  EXPECT_EQ(at(0x7f0000200000, 4 * kMiB), 4 * kMiB);
  EXPECT_EQ(at(0x7f0000a00000, 4 * kMiB), 0U);
  EXPECT_EQ(at(0x7f0000e00000, 4 * kMiB), 0U);
}

// --- machines ----------------------------------------------------------------------------------

TEST(MeasureLinks, TheFiguresOfOnePairAndEverythingElseAsItWas) {
  const Machine before = Machine::open("cxl-2s");
  MeasuredPair pair;
  pair.buffer = "1 GiB in 2 MiB pages";
  pair.figures.latency_ns = 123.456789;
  pair.figures.rows = {{1, {1.23456789e10, 6e9, 9e9}}, {4, {4e10, 2e10, 3e10}}};
  const NodeId from = node(1), to = node(2);
  const Machine after = with_measured(before, {{{from, to}, pair}});

  const Link& link = after.link(from, to);
  EXPECT_EQ(link.latency_ns,
            (Figure{123.5, {Origin::measured, "pointer chase through 1 GiB in 2 MiB pages"}}));
  const Source streams{Origin::measured, "best pass over 1 GiB in 2 MiB pages, threads one a core"};
  ASSERT_EQ(link.by_threads.size(), 2U);
  EXPECT_EQ(link.by_threads[0],
            (ThreadsBandwidth{1, {1.235e10, streams}, {6e9, streams}, {9e9, streams}}));
  EXPECT_EQ(link.by_threads[1],
            (ThreadsBandwidth{4, {4e10, streams}, {2e10, streams}, {3e10, streams}}));
  EXPECT_EQ(link.read_bytes_per_second, (Figure{4e10, streams}));
  EXPECT_EQ(link.write_bytes_per_second, (Figure{2e10, streams}));
  EXPECT_EQ(link.distance, before.link(from, to).distance);

  // Node 1 reads memory 2 through node 0. The measured rate is above the second wire's, and below
  // the first one's.
  const std::vector<Wire>& wires = before.hardware().wires;
  ASSERT_EQ(wires.size(), 2U);
  EXPECT_GT(wires[0].bytes_per_second.value, 4e10);
  EXPECT_LT(wires[1].bytes_per_second.value, 4e10);
  EXPECT_EQ(after.hardware().wires,
            (std::vector<Wire>{wires[0], {wires[1].a, wires[1].b, {4e10, streams}}}));

  Machine::Data restored = after.data();
  restored.hardware.wires = wires;
  restored.links.at({from, to}) = before.link(from, to);
  EXPECT_EQ(restored, before.data());
  EXPECT_EQ(Machine::from_json(after.to_json(), "after.json"), after);
}

}  // namespace
}  // namespace Atoll::measure
