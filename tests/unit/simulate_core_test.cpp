// One core: what it remembers of lines under way, and what it shares with others.
#include "simulate/core.hpp"

#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

constexpr Fetch kMemory{.source = Source::memory, .row_is_open = true};

struct OneCore {
  explicit OneCore(const Timing& its) : timing(its), network(timing), core(timing, network, 0, 1) {}
  /// Some access that hits, while `lines` from memory are fetched ahead.
  void fetch_ahead(std::uint64_t first, std::uint64_t lines) {
    std::vector<SideTraffic> side;
    for (std::uint64_t line = first; line < first + lines; ++line) {
      side.push_back({SideTraffic::Kind::prefetch, kMemory});
      side.back().fetch.line = line;
    }
    core.begin({});
    core.access({}, Outcome{}, side);
  }
  /// Until the line is there, which level 2 has or will have.
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
  Core core;
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
  timing.prefetch_lines = 8;
  OneCore one(timing);
  one.core.share({.on_core = 1, .on_l2 = 2});
  one.fetch_ahead(0, 4);
  one.core.share({.on_core = 1, .on_l2 = 1});
  one.fetch_ahead(10, 4);
  EXPECT_LT(one.wait_for(13), 150'000);
  // No more than eight lines are under way at a time.
  one.fetch_ahead(20, 16);
  EXPECT_GT(one.wait_for(35), 200'000);
}

}  // namespace
}  // namespace Atoll::simulate
