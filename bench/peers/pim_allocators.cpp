// The paper's two benchmarks [imi §5.1] with one allocator, in a separate process so that malloc
// can be replaced: pim_allocators malloc|pim|bmem "full horizontal"|"full vertical"|pairs prints
// lines of the form "row<tab>nanoseconds".
#include <atoll/pim/bmem.h>
#include <atoll/pim/device.hpp>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace pim = Atoll::pim;
using Clock = std::chrono::steady_clock;

constexpr pim::Geometry kDevice{1024, 65536, 16, 8};  // Table 3
constexpr int kRounds = 25;

void require(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "pim_allocators: wrong answer: %s\n", what);
  std::exit(1);
}

/// Prevents the compiler from removing a pair of malloc() and free().
template <class T>
void used(T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

struct Malloc {
  using Block = void*;
  static Block allocate(pim::Request request) { return std::malloc(request.bytes()); }
  static void free(Block& block) { std::free(block); }
  /// Checks that all blocks are distinct; malloc allows no further checks.
  static bool full(const std::vector<Block>& blocks, pim::Request) {
    std::vector<Block> sorted = blocks;
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  }
};

struct Pim {
  using Block = pim::Block;
  pim::Device device{kDevice};
  Block allocate(pim::Request request) { return device.try_allocate(request); }
  void free(Block& block) { device.free(block); }
  /// Checks that no unit is free, and that blocks are disjoint: together they have all units.
  bool full(const std::vector<Block>&, pim::Request request) {
    std::uint64_t units = 0;
    for (const pim::Rectangle& r : device.blocks()) units += r.extent.units();
    return units == kDevice.units() && device.usage().free_units == 0 &&
           !device.try_allocate(request);
  }
};

struct Bmem {
  using Block = void*;
  Bmem() {
    require(bmem_init(kDevice.rows, kDevice.columns, kDevice.subarrays, kDevice.banks) == BMEM_OK,
            "bmem_init");
  }
  ~Bmem() { bmem_dtor(); }
  static Block allocate(pim::Request request) {
    return bmem_malloc(request.bytes(),
                       request.orientation() == pim::Orientation::horizontal ? HORI : VERT);
  }
  static void free(Block& block) { require(bmem_free(block) == BMEM_OK, "bmem_free"); }
  static bool full(const std::vector<Block>& blocks, pim::Request request) {
    return Malloc::full(blocks, request) && bmem_malloc_raw(1, 1) == nullptr &&
           bmem_errno() == BMEM_ENOFIT;
  }
};

double nanoseconds(Clock::duration d) {
  return std::chrono::duration<double, std::nano>(d).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

/// Allocates blocks until the device is full. Measures nanoseconds per block, for the first time
/// (as in the paper) and after all blocks were freed.
struct FullArray {
  double first, again;
};
template <class Allocator>
FullArray full_array(Allocator& allocator, pim::Request request, std::size_t blocks) {
  std::vector<double> times;
  std::vector<typename Allocator::Block> taken(blocks);
  for (int round = 0; round < kRounds; ++round) {
    const auto start = Clock::now();
    for (auto& block : taken) block = allocator.allocate(request);
    const auto elapsed = Clock::now() - start;
    times.push_back(nanoseconds(elapsed) / static_cast<double>(blocks));
    for (auto& block : taken) require(static_cast<bool>(block), "every block");
    require(allocator.full(taken, request), "a full device");
    for (auto& block : taken) allocator.free(block);
  }
  return {times.front(), median({times.begin() + 1, times.end()})};
}

/// Each thread allocates and frees a block, `requests` times. Returns nanoseconds per pair.
template <class Allocator>
double malloc_test(Allocator& allocator, pim::Request request, int threads, int requests) {
  std::vector<std::vector<double>> times(static_cast<std::size_t>(threads));
  std::barrier together(threads);
  std::vector<std::thread> team;
  for (auto& mine : times)
    team.emplace_back([&] {
      for (int round = -1; round < kRounds; ++round) {
        together.arrive_and_wait();
        bool all = true;
        const auto start = Clock::now();
        for (int i = 0; i < requests; ++i) {
          auto block = allocator.allocate(request);
          used(block);
          all &= static_cast<bool>(block);
          allocator.free(block);
        }
        const auto elapsed = Clock::now() - start;
        require(all, "a block for every request");
        if (round >= 0) mine.push_back(nanoseconds(elapsed) / requests);
      }
    });
  for (std::thread& thread : team) thread.join();
  std::vector<double> all;
  for (const auto& mine : times) all.insert(all.end(), mine.begin(), mine.end());
  return median(all);
}

template <class Allocator>
void run(const std::string& test) {
  const auto print = [](const std::string& row, double ns) {
    std::printf("%s\t%.3f\n", row.c_str(), ns);
  };
  const auto allocator = std::make_unique<Allocator>();
  const auto full = [&](const char* name, pim::Request request, std::size_t blocks) {
    if (test != name) return;
    const auto [first, again] = full_array(*allocator, request, blocks);
    print(test + ", first", first);
    print(test + ", again", again);
  };
  // Table 1; its vertical size of 67,108,864 is in bits, which is a subarray.
  full("full horizontal", pim::Request::horizontal(1 << 20), 1024);
  full("full vertical", pim::Request::vertical(67108864 / 8), 128);
  if (test != "pairs") return;
  // Table 2.
  const auto pairs = [&](const char* name, std::uint64_t bytes, int threads, auto request,
                         int requests) {
    print(std::string(name) + " " + std::to_string(bytes) + " B x " + std::to_string(threads),
          malloc_test(*allocator, request(bytes, 0), threads, requests));
  };
  for (const std::uint64_t bytes : {8, 64, 128, 512, 1024, 4096})
    for (const int threads : {1, 2, 4, 8})
      pairs("horizontal", bytes, threads, pim::Request::horizontal, 10000);
  for (const std::uint64_t bytes : {8, 16, 32, 64, 128})
    for (const int threads : {1, 2, 4, 8})
      pairs("vertical", bytes, threads, pim::Request::vertical, 128 / threads);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc > 2 ? argv[1] : "", test = argc > 2 ? argv[2] : "";
  if (which == "malloc") run<Malloc>(test);
  if (which == "pim") run<Pim>(test);
  if (which == "bmem") run<Bmem>(test);
}
