// One simulated core: its lines in flight, and the resources that it shares with other cores.
#include "simulate/interval_core.hpp"

#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr Fetch kMemory{.source = Source::memory, .row_is_open = true};

struct OneCore {
  explicit OneCore(const Timing& its)
      : timing(its), network(timing.machine), core(timing, network, 0, 1) {}
  /// Performs an access that hits, and that prefetches `lines` lines from memory.
  void fetch_ahead(std::uint64_t first, std::uint64_t lines) {
    std::vector<SideTraffic> side;
    for (std::uint64_t line = first; line < first + lines; ++line) {
      side.push_back({SideTraffic::Kind::prefetch, kMemory});
      side.back().fetch.line = line;
    }
    core.begin({});
    core.access({}, Outcome{}, side);
  }
  /// Returns the wait for a line that is in level 2, or that is being loaded into it.
  Ticks wait_for(std::uint64_t line) {
    Outcome outcome;
    outcome.data = {.line = line, .source = Source::l2};
    const Ticks before = core.now();
    core.begin({});
    core.access({}, outcome, {});
    core.drain();
    return core.now() - before;
  }
  Timing timing;
  Network network;
  IntervalCore core;
};

TEST(SimulateCore, ALineThatIsFetchedOnceMoreIsUnderWayOnceMore) {
  OneCore one(SmallMachine(1).timing);
  for (int i = 0; i < 3; ++i) {
    one.fetch_ahead(7, 1);
    EXPECT_GT(one.wait_for(7), 90'000) << i;
    EXPECT_LT(one.wait_for(7), 10'000) << i;
  }
}

TEST(SimulateCore, WhoIsLeftAloneFetchesAheadAtOnceWhatOthersFetchedBefore) {
  Timing timing = SmallMachine(1).timing;
  timing.core.prefetch_lines = 8;
  OneCore one(timing);
  one.core.share({.on_core = 1, .on_l2 = 2});
  one.fetch_ahead(0, 4);
  one.core.share({.on_core = 1, .on_l2 = 1});
  one.fetch_ahead(10, 4);
  EXPECT_LT(one.wait_for(13), 150'000);
  // At most eight lines are in flight at the same time.
  one.fetch_ahead(20, 16);
  EXPECT_GT(one.wait_for(35), 200'000);
}

}  // namespace
}  // namespace Atoll::simulate
