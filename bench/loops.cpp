// Suite `loops`: cost of Atoll's loops relative to OpenMP's on the same threads: empty chunks,
// streams over arrays, reductions, and work as skewed as the degrees of a graph. Results are
// compared with a plain loop's before any measurement. The minimum over all rounds is used, because
// other programs only add time.
#include <atoll/array/array.hpp>
#include <atoll/machine/thread_places.hpp>
#include <atoll/parallel/for_each.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <vector>

#include "bench.hpp"

namespace {

using Atoll::LoopSchedule;
using Atoll::bench::require;

constexpr int kRounds = 60;
constexpr std::size_t kElements = std::size_t{1} << 22;  // 32 MiB, 4096 chunks
constexpr std::size_t kEmptyChunks = std::size_t{1} << 16;
constexpr int kEmptyLoops = 200;

/// Returns the number of steps of each iteration: a few random iterations do most of the work.
std::vector<std::uint32_t> skewed_steps() {
  std::vector<std::uint32_t> steps(kElements / 4);
  std::uint64_t state = 1;
  for (std::uint32_t& count : steps) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const double uniform = (static_cast<double>(state >> 11) + 0.5) * 0x1p-53;
    count = static_cast<std::uint32_t>(std::min(1e6, std::pow(uniform, -1 / 1.2)));
  }
  return steps;
}

std::uint32_t work(std::uint32_t steps) {
  std::uint32_t x = steps;
  for (std::uint32_t i = 0; i < steps; ++i) x = x * 1664525 + 1013904223;
  return x;
}

struct Pair {
  std::string name, unit;
  double scale;  ///< units per second of one call
  std::string other;
  std::function<void()> atoll, openmp;
  std::function<bool()> right;  ///< checks the result of either variant, and resets it
};

}  // namespace

int main(int argc, char** argv) {
  const Atoll::Machine machine = Atoll::Machine::this_computer();
  const Atoll::Team team(Atoll::spread_places(machine));
  const int threads = team.size();
  const Atoll::memory::Context context{machine, team};

  const std::vector<Atoll::NodeId> nodes = Atoll::nodes_of(team.places());
  Atoll::Array<double> array(context, kElements, Atoll::Layout{Atoll::Partitioned{nodes}});
  double* const x = array.master().data();
  const auto reset = [&] {
    for (std::size_t i = 0; i < kElements; ++i) x[i] = static_cast<double>(i % 1000);
  };
  reset();
  const auto scaled = [&] {
    bool right = true;
    for (std::size_t i = 0; i < kElements; ++i)
      right = right && x[i] == 3 * static_cast<double>(i % 1000) + 1;
    reset();
    return right;
  };
  double sum = 0;
  const auto summed = [&] {
    double expected = 0;
    for (std::size_t i = 0; i < kElements; ++i) expected += x[i];  // integers: exact
    return std::exchange(sum, 0) == expected;
  };
  std::vector<std::uint8_t> ran(kEmptyChunks);
  const auto ran_once = [&] {
    const bool right = std::all_of(ran.begin(), ran.end(), [](int count) { return count == 1; });
    ran.assign(kEmptyChunks, 0);
    return right;
  };
  const std::vector<std::uint32_t> steps = skewed_steps();
  std::vector<std::uint32_t> result(steps.size());
  const auto worked = [&] {
    bool right = true;
    for (std::size_t i = 0; i < steps.size(); ++i) right = right && result[i] == work(steps[i]);
    result.assign(steps.size(), 0);
    return right;
  };

  const auto empty = [&] {
    Atoll::detail::for_each_chunk_number(team, kEmptyChunks, LoopSchedule::dynamic,
                                         [r = ran.data()](std::size_t chunk) { ++r[chunk]; });
  };
  const auto scale = [&](LoopSchedule schedule) {
    Atoll::for_each_chunk(team, array, schedule, [x](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) x[i] = 3 * x[i] + 1;
    });
  };
  const auto reduce = [&](LoopSchedule schedule) {
    sum = Atoll::reduce_chunks(
        team, array, schedule, 0.0,
        [x](std::size_t begin, std::size_t end) {
          double part = 0;
          for (std::size_t i = begin; i < end; ++i) part += x[i];
          return part;
        },
        std::plus<>());
  };
  const auto skewed = [&](LoopSchedule schedule) {
    Atoll::for_each(team, steps.size(), schedule,
                    [s = steps.data(), r = result.data()](std::size_t i) { r[i] = work(s[i]); });
  };

  constexpr LoopSchedule fixed = LoopSchedule::fixed, dynamic = LoopSchedule::dynamic;
  const std::vector<Pair> pairs = {
      {"empty chunk, dynamic", "ns", 1e9 / kEmptyChunks, "OpenMP dynamic", [&] { empty(); },
       [&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
         for (std::size_t chunk = 0; chunk < kEmptyChunks; ++chunk) ++ran[chunk];
       },
       ran_once},
      {"loop of one chunk, dynamic", "us", 1e6 / kEmptyLoops, "OpenMP dynamic",
       [&] {
         for (int i = 0; i < kEmptyLoops; ++i)
           Atoll::for_each_chunk(team, 1, dynamic, [&](std::size_t, std::size_t) { sum += 1; });
       },
       [&] {
         for (int i = 0; i < kEmptyLoops; ++i) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
           for (int chunk = 0; chunk < 1; ++chunk) sum += 1;
         }
       },
       [&] { return std::exchange(sum, 0) == kEmptyLoops; }},
      {"stream, dynamic", "ms", 1e3, "OpenMP dynamic, 1024", [&] { scale(dynamic); },
       [&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
         for (std::size_t i = 0; i < kElements; ++i) x[i] = 3 * x[i] + 1;
       },
       scaled},
      {"stream, fixed", "ms", 1e3, "OpenMP static", [&] { scale(fixed); },
       [&] {
#pragma omp parallel for num_threads(threads) schedule(static)
         for (std::size_t i = 0; i < kElements; ++i) x[i] = 3 * x[i] + 1;
       },
       scaled},
      {"sum, dynamic", "ms", 1e3, "OpenMP dynamic, 1024", [&] { reduce(dynamic); },
       [&] {
         double part = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) reduction(+ : part)
         for (std::size_t i = 0; i < kElements; ++i) part += x[i];
         sum = part;
       },
       summed},
      {"sum, fixed", "ms", 1e3, "OpenMP static", [&] { reduce(fixed); },
       [&] {
         double part = 0;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : part)
         for (std::size_t i = 0; i < kElements; ++i) part += x[i];
         sum = part;
       },
       summed},
      {"skewed work, dynamic", "ms", 1e3, "OpenMP dynamic, 1024", [&] { skewed(dynamic); },
       [&] {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
         for (std::size_t i = 0; i < steps.size(); ++i) result[i] = work(steps[i]);
       },
       worked}};

  for (const Pair& pair : pairs)
    for (const auto& variant : {pair.atoll, pair.openmp}) {
      variant();
      require(pair.right(), pair.name);
    }
  Atoll::bench::Suite suite("loops");
  for (const Pair& pair : pairs) {
    const auto measured = Atoll::bench::alternate({pair.atoll, pair.openmp}, kRounds);
    suite.row(pair.name, pair.unit, measured[0].least * pair.scale, pair.other,
              measured[1].least * pair.scale, measured[0].spread);
  }
  suite.write(argc, argv);
}
