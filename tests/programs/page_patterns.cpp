// Four threads access the pages of one array in a known pattern.
//   page_patterns PATTERN MILLISECONDS | page_patterns PATTERN ROUNDS rounds
// PATTERN is one of
//   parts   main initializes the array, then each thread uses its quarter
//   own     each thread initializes its quarter, and uses it
//   all     main initializes the array, then each thread uses the whole array
//   mostly  as parts, but every third page that a thread uses is a random page of the array
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 4, kPages = 1600, kWords = 512;
constexpr std::size_t kQuarter = kPages / kThreads;

__attribute__((noinline)) std::uint64_t* make_array() {
  return static_cast<std::uint64_t*>(std::malloc(kPages * kWords * sizeof(std::uint64_t)));
}

struct Pattern {
  bool own = false, all = false, mostly = false;
};

std::uint64_t use(std::uint64_t* page) {
  std::uint64_t sum = 0;
  for (std::size_t word = 0; word < kWords; ++word) sum += page[word] += 1;
  return sum;
}

void work(const Pattern& pattern, std::size_t thread, std::uint64_t* array, long rounds,
          Clock::time_point end) {
  std::uint64_t random = thread + 1;
  const std::size_t first = thread * kQuarter;
  if (pattern.own) std::memset(array + first * kWords, 0, kQuarter * kWords * sizeof *array);
  for (long round = 0; rounds > 0 ? round < rounds : Clock::now() < end; ++round)
    for (std::size_t i = 0; i < (pattern.all ? kPages : kQuarter); ++i) {
      std::size_t page = (first + i) % kPages;
      random = random * 6364136223846793005U + 1442695040888963407U;
      if (pattern.mostly && i % 3 == 0) page = (random >> 33) % kPages;
      use(array + page * kWords);
    }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto end = Clock::now() + std::chrono::milliseconds(std::atol(argv[2]));
  const Pattern pattern{.own = std::strcmp(argv[1], "own") == 0,
                        .all = std::strcmp(argv[1], "all") == 0,
                        .mostly = std::strcmp(argv[1], "mostly") == 0};
  std::uint64_t* array = make_array();
  if (!pattern.own) std::memset(array, 0, kPages * kWords * sizeof *array);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back(work, pattern, i, array, argc > 3 ? std::atol(argv[2]) : 0, end);
  for (std::thread& thread : threads) thread.join();
  std::printf("%s\n", array[0] > 0 ? "done" : "nothing was done");
  std::free(array);
  return 0;
}
