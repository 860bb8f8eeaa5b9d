// Queues, compared with the same requests in another order. simulate_closed_forms compares them
// with queueing theory.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "simulate/queue.hpp"

namespace Atoll::simulate {
namespace {

TEST(SimulateQueue, TheSumOfWaitingDoesNotDependOnTheOrder) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<Ticks, Ticks>> requests;
    for (int i = 0; i < 40; ++i)
      requests.emplace_back(random() % 1000, 1 + static_cast<Ticks>(random() % 60));
    std::sort(requests.begin(), requests.end());
    // Computes first-come, first-served directly.
    Ticks expected = 0, free = 0;
    for (const auto& [arrival, service] : requests) {
      expected += std::max<Ticks>(0, free - arrival);
      free = std::max(free, arrival) + service;
    }
    // If arrivals are equal and services differ, the order matters. A stable sort keeps it.
    std::stable_sort(requests.begin(), requests.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    bool has_ties = false;
    for (std::size_t i = 1; i < requests.size(); ++i)
      has_ties = has_ties || requests[i].first == requests[i - 1].first;
    if (has_ties) continue;
    std::shuffle(requests.begin(), requests.end(), random);
    Queue queue;
    Ticks charged = 0;
    for (const auto& [arrival, service] : requests) charged += queue.add(arrival, service, 1);
    EXPECT_EQ(charged, expected);
    queue.finish();
    EXPECT_EQ(queue.totals().waited, expected);
  }
}

TEST(SimulateQueue, NothingIsServedBeforeWhatIsSettled) {
  Queue queue;
  EXPECT_EQ(queue.add(100, 50, 1), 0);
  queue.finalize_until(120);
  EXPECT_EQ(queue.add(130, 10, 1), 20);
  queue.finalize_until(1000);
  EXPECT_EQ(queue.add(1000, 10, 1), 0);
  queue.finish();
  EXPECT_EQ(queue.totals().busy, 70);
  EXPECT_EQ(queue.totals().area, 20 + 70);
}

}  // namespace
}  // namespace Atoll::simulate
