// The tasks of elements.c as a loop of Atoll with two threads. A task has two iterations, and uses
// its own element and one that every fourth task reads.
#include <atoll/atoll.hpp>

#include <cstdio>
#include <numeric>
#include <vector>

int main() {
  constexpr std::size_t kTasks = 64, kShared = 4;
  std::vector<double> own(kTasks), shared(kShared);
  std::iota(shared.begin(), shared.end(), 0.0);
  const Atoll::Team team(Atoll::spread_places(Atoll::Machine::this_computer(), 2));
  Atoll::for_each_task(team, "elements", 2 * kTasks, 2, [&](std::size_t i) {
    if (i % 2 == 0) own[i / 2] += shared[i / 2 % kShared];
  });
  std::printf("%g\n", std::accumulate(own.begin(), own.end(), 0.0));
}
