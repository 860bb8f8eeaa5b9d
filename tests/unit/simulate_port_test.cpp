// A port between caches: it transfers one line at a time, and accepts requests in any order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "simulate/port.hpp"

namespace Atoll::simulate {
namespace {

TEST(SimulatePort, ALineASlot) {
  Port port;
  port.set_slot(500);
  Ticks last = 0;
  for (int i = 0; i < 1000; ++i) last = port.take(0, 0);
  EXPECT_EQ(last, 999 * 500);
}

TEST(SimulatePort, SlotsBeginAtTheirMultiplesHoweverLateItIs) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto slot = static_cast<Ticks>(1 + random() % 5'000);
    const auto number = static_cast<Ticks>(random() >> (1 + random() % 60)) / slot / 2;
    for (const Ticks at : {number * slot, (number + 1) * slot - 1}) {
      Port port;
      port.set_slot(slot);
      ASSERT_EQ(port.take(at, at), at);
      ASSERT_EQ(port.take(at, at), (number + 1) * slot) << at << " in slots of " << slot;
    }
  }
}

TEST(SimulatePort, WhoWaitsForDataLeavesTheSlotsBeforeToOthers) {
  Port port;
  port.set_slot(500);
  EXPECT_EQ(port.take(0, 10'000), 10'000);
  EXPECT_EQ(port.take(0, 0), 0);
  EXPECT_EQ(port.take(0, 0), 500);
  EXPECT_EQ(port.take(0, 10'100), 10'500);
}

TEST(SimulatePort, AFreePortAddsNothing) {
  Port port;
  EXPECT_EQ(port.take(0, 77), 77);
  port.set_slot(500);
  EXPECT_EQ(port.take(0, 1'234), 1'234);  // the slot around this time is free
  EXPECT_EQ(port.take(0, 100'000'000), 100'000'000);
}

TEST(SimulatePort, NeverMoreThanALineASlotOverALongTime) {
  Port port;
  port.set_slot(700);
  std::mt19937_64 random(3);
  std::vector<Ticks> begun;
  Ticks now = 0;
  for (int i = 0; i < 100'000; ++i) {
    now += static_cast<Ticks>(random() % 2000);
    begun.push_back(port.take(now, now + static_cast<Ticks>(random() % 50'000)));
    EXPECT_GE(begun.back(), now);
  }
  std::sort(begun.begin(), begun.end());
  for (std::size_t i = 0; i + 100 < begun.size(); ++i)
    ASSERT_GE(begun[i + 100] - begun[i], 99 * 700);
}

}  // namespace
}  // namespace Atoll::simulate
