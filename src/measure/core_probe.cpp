#include "measure/core_probe.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/latency_probe.hpp"

namespace Atoll::measure {
namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

constexpr int kTimes = 20'000;

// The empty assembler statements keep the compiler from combining additions. The addend is in a
// register: Intel cores since Golden Cove combine additions of constants at register renaming.
void chain_of_64() {
  std::uint64_t x = 1, addend = 1;
  asm volatile("" : "+r"(addend));
  for (int i = 0; i < kTimes; ++i) {
#pragma GCC unroll 64
    for (int j = 0; j < 64; ++j) {
      x += addend;
      asm volatile("" : "+r"(x));
    }
  }
}

void independent_of_64() {
  std::uint64_t data[8] = {};
  std::uint64_t a = 1, b = 2, c = 3;
  std::uint64_t* at = data;
  for (int i = 0; i < kTimes; ++i) {
    asm volatile("" : "+r"(at));
#pragma GCC unroll 16
    for (int j = 0; j < 16; ++j) {
      a += 1;
      asm volatile("" : "+r"(a));
      b += 1;
      asm volatile("" : "+r"(b));
      c += 1;
      asm volatile("" : "+r"(c));
      std::uint64_t loaded = static_cast<volatile std::uint64_t*>(at)[j % 8];
      asm volatile("" : "+r"(loaded));
    }
  }
}

#ifdef __x86_64__
constexpr bool kHasMixture = true;
/// Twelve nearly independent instructions: integer additions, vector additions and loads, as many
/// of each as cores have units for, so that the front end is the limit.
void mixture_of_96() {
  std::uint64_t data[4] = {};
  for (int i = 0; i < kTimes; ++i)
    asm volatile(
        ".rept 8\n\t"
        "lea 1(%%rax), %%rax\n\tmovq (%0), %%r8\n\tpaddd %%xmm0, %%xmm0\n\t"
        "lea 1(%%rcx), %%rcx\n\tpaddd %%xmm1, %%xmm1\n\tlea 1(%%rdx), %%rdx\n\t"
        "movq 8(%0), %%r9\n\tlea 1(%%r10), %%r10\n\tpaddd %%xmm2, %%xmm2\n\t"
        "lea 1(%%r11), %%r11\n\tmovq 16(%0), %%r8\n\tpaddd %%xmm3, %%xmm3\n\t.endr"
        :
        : "r"(data)
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "memory");
}
#else
constexpr bool kHasMixture = false;
void mixture_of_96() {}
#endif

}  // namespace

double core_clock_ghz(double seconds) {
  return kTimes * 64 / least_of(seconds, [] {
           const auto start = Clock::now();
           chain_of_64();
           return ns_since(start);
         });
}

double instructions_a_cycle(double seconds, double clock_ghz) {
  const auto ns_of = [&](void (*loop)()) {
    return least_of(seconds, [=] {
      const auto start = Clock::now();
      loop();
      return ns_since(start);
    });
  };
  const double plain = kTimes * 64 / ns_of(independent_of_64) / clock_ghz;
  return kHasMixture ? std::max(plain, kTimes * 96 / ns_of(mixture_of_96) / clock_ghz) : plain;
}

double atomic_ns(double seconds) {
  std::atomic<std::uint64_t> counter{0};
  return least_of(seconds, [&] {
    const auto start = Clock::now();
    for (int i = 0; i < kTimes; ++i) counter.fetch_add(1);
    return ns_since(start) / kTimes;
  });
}

Contention contention(const Team& team, double seconds) {
  struct alignas(128) Counter {
    std::atomic<std::uint64_t> value{0};
  } counter;
  constexpr std::uint64_t kOperations = 50'000;
  std::vector<Contention> trials;
  static_cast<void>(least_of(seconds, [&] {
    std::atomic<int> ready{0};
    Clock::time_point begin[2], end[2];
    double stays_of_first = 0;
    team.run([&](int thread) {
      if (thread > 1) return;
      ready.fetch_add(1);
      while (ready.load() < 2) {
      }
      begin[thread] = Clock::now();
      std::uint64_t last = 0, stays = 0;
      for (std::uint64_t i = 0; i < kOperations; ++i) {
        const std::uint64_t value = counter.value.fetch_add(1);
        stays += value != last + 1;
        last = value;
      }
      end[thread] = Clock::now();
      if (thread == 0) stays_of_first = static_cast<double>(std::max<std::uint64_t>(1, stays));
    });
    // From the first start to the last end: a thread that is late or holds the line longer runs
    // alone for a part of the time.
    const std::chrono::duration<double, std::nano> taken =
        std::max(end[0], end[1]) - std::min(begin[0], begin[1]);
    trials.push_back({taken.count() / kOperations, kOperations / stays_of_first});
    return trials.back().operation_ns;
  }));
  // If a thread loses its processor, the other one runs alone: such trials are the shortest.
  const auto tenth =
      trials.begin() + static_cast<std::ptrdiff_t>(std::min(
                           trials.size() - 1, std::max<std::size_t>(1, trials.size() / 10)));
  std::ranges::nth_element(trials, tenth, {}, &Contention::operation_ns);
  return *tenth;
}

double slowed_by_each_other(const Team& team, double seconds) {
  const auto both = [&](int threads) {
    return least_of(seconds, [&] {
      std::atomic<int> ready{0};
      double ns = 0;
      team.run([&](int thread) {
        if (thread >= threads) return;
        ready.fetch_add(1);
        while (ready.load() < threads) {
        }
        const auto start = Clock::now();
        for (int i = 0; i < 4; ++i) independent_of_64();
        if (thread == 0) ns = ns_since(start);
      });
      return ns;
    });
  };
  return both(2) / both(1);
}

double handoff_ns(const Team& team, double seconds) {
  struct alignas(128) Line {
    std::atomic<std::uint32_t> turn{0};
  } line;
  constexpr std::uint32_t kTurns = 4'000;
  return least_of(seconds, [&] {
    line.turn = 0;
    const auto start = Clock::now();
    team.run([&](int thread) {
      if (thread > 1) return;
      for (std::uint32_t turn = static_cast<std::uint32_t>(thread); turn < kTurns; turn += 2) {
        while (line.turn.load(std::memory_order_acquire) != turn) {
        }
        line.turn.store(turn + 1, std::memory_order_release);
      }
    });
    return ns_since(start) / kTurns;
  });
}

}  // namespace Atoll::measure
