// A user's program: an array that is distributed over this machine's memories, and summed by pinned
// threads.
#include <atoll/atoll.hpp>
#include <cstdio>

int main() {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  const Atoll::memory::Context context{machine, team};

  Atoll::Array<double> x(context, 1'000'000, Atoll::pattern_of({.indexed = true}));
  x.fill(0.5);
  const double sum = Atoll::reduce_chunks(
      team, x.size(), Atoll::LoopSchedule::fixed, 0.0,
      [&](std::size_t begin, std::size_t end) {
        const auto local = x.local();
        double part = 0;
        for (std::size_t i = begin; i < end; ++i) part += local[i];
        return part;
      },
      [](double a, double b) { return a + b; });
  std::printf("%s: sum %.1f\n", Atoll::to_string(x.layout()).c_str(), sum);
  return sum == 500'000.0 ? 0 : 1;
}
