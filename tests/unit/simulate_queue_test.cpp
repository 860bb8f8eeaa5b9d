// Queues against queueing theory, and against the same requests in another order.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "simulate/queue.hpp"

namespace Atoll::simulate {
namespace {

std::vector<Ticks> poisson_arrivals(double load, Ticks service, std::size_t count) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> gap(load / static_cast<double>(service));
  std::vector<Ticks> arrivals;
  double at = 0;
  for (std::size_t i = 0; i < count; ++i) arrivals.push_back(static_cast<Ticks>(at += gap(random)));
  return arrivals;
}

/// Turns of 100 ns: within each, the requests come in an order of their own.
void shuffle_turns(std::vector<Ticks>& arrivals) {
  std::mt19937_64 random(8);
  for (auto begin = arrivals.begin(); begin != arrivals.end();) {
    const Ticks end_of_turn = (*begin / 100'000 + 1) * 100'000;
    const auto end = std::find_if(begin, arrivals.end(), [=](Ticks at) { return at >= end_of_turn; });
    std::shuffle(begin, end, random);
    begin = end;
  }
}

TEST(SimulateQueue, WaitsAsQueueingTheorySays) {
  constexpr Ticks kService = 3'200;
  for (const double load : {0.3, 0.6, 0.9}) {
    std::vector<Ticks> arrivals = poisson_arrivals(load, kService, 2'000'000);
    const double expected = load * static_cast<double>(kService) / (2 * (1 - load));  // M/D/1
    for (const bool shuffled : {false, true}) {
      if (shuffled) shuffle_turns(arrivals);
      Queue queue;
      Ticks waited = 0;
      for (const Ticks arrival : arrivals) {
        queue.settle(arrival - 100'000);
        waited += queue.add(arrival, kService, 64);
      }
      queue.finish();
      EXPECT_NEAR(static_cast<double>(waited) / static_cast<double>(arrivals.size()), expected,
                  0.05 * expected)
          << load << (shuffled ? " shuffled" : "");
      EXPECT_EQ(queue.totals().charged, waited);
      EXPECT_EQ(queue.totals().waited, waited);
      EXPECT_EQ(queue.totals().area, queue.totals().waited + queue.totals().busy);
    }
  }
}

TEST(SimulateQueue, TheSumOfWaitingDoesNotDependOnTheOrder) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::pair<Ticks, Ticks>> requests;
    for (int i = 0; i < 40; ++i)
      requests.emplace_back(random() % 1000, 1 + static_cast<Ticks>(random() % 60));
    std::sort(requests.begin(), requests.end());
    // First come, first served, by hand.
    Ticks expected = 0, free = 0;
    for (const auto& [arrival, service] : requests) {
      expected += std::max<Ticks>(0, free - arrival);
      free = std::max(free, arrival) + service;
    }
    // Of equal arrivals, the order matters where services differ: take it as it is.
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
  queue.settle(120);
  EXPECT_EQ(queue.add(130, 10, 1), 20);
  queue.settle(1000);
  EXPECT_EQ(queue.add(1000, 10, 1), 0);
  queue.finish();
  EXPECT_EQ(queue.totals().busy, 70);
  EXPECT_EQ(queue.totals().area, 20 + 70);
}

}  // namespace
}  // namespace Atoll::simulate
