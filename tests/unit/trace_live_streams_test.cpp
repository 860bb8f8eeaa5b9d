// Turns of a thread of a program that runs: when one is over, and when it wants the next.
#include <gtest/gtest.h>

#include "trace/live_streams.hpp"
#include "trace_support.hpp"

namespace Atoll::trace {
namespace {

TEST(LiveStreams, ATurnIsOverWhenItWasUsedOrTheNextOneIsWanted) {
  const Region region({.bytes = 16 << 20, .cache_bytes = 0});
  ASSERT_EQ(in_child(region, [] { recorder::start_thread(); }), 0);
  LiveStreams streams(region);
  ASSERT_EQ(streams.count(), 1U);
  // The recorder counts these in the thread itself.
  recorder::ThreadRecord* record = nullptr;
  RegionView(region.header(), region.bytes())
      .for_each<recorder::ThreadRecord>(region.header().threads.load(),
                                        [&](const recorder::ThreadRecord& one, recorder::Offset) {
                                          record = const_cast<recorder::ThreadRecord*>(&one);
                                        });
  ASSERT_NE(record, nullptr);
  EXPECT_TRUE(streams.is_turn_over(0));
  record->turns_wanted = 1;
  EXPECT_TRUE(streams.is_held(0));
  streams.give_turn(0);
  EXPECT_FALSE(streams.is_held(0));
  EXPECT_FALSE(streams.is_turn_over(0));  // it does what it wanted the turn for
  record->turns_over = 1;
  EXPECT_TRUE(streams.is_turn_over(0));
  record->turns_wanted = 2;
  streams.give_turn(0);
  EXPECT_FALSE(streams.is_turn_over(0));
  record->turns_wanted = 3;  // within its second turn
  EXPECT_TRUE(streams.is_turn_over(0));
  EXPECT_TRUE(streams.is_held(0));
}

}  // namespace
}  // namespace Atoll::trace
