#include "measure/core_probe.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>

#include "measure/latency_probe.hpp"

namespace Atoll::measure {
namespace {

using Clock = std::chrono::steady_clock;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

constexpr int kTimes = 20'000;

// The empty statements keep the compiler from adding up additions.
void chain_of_64() {
  std::uint64_t x = 1;
  for (int i = 0; i < kTimes; ++i) {
#pragma GCC unroll 64
    for (int j = 0; j < 64; ++j) {
      x += 1;
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

}  // namespace

double core_clock_ghz(double seconds) {
  return kTimes * 64 / least_of(seconds, [] {
           const auto start = Clock::now();
           chain_of_64();
           return ns_since(start);
         });
}

double instructions_a_cycle(double seconds, double clock_ghz) {
  const double ns = least_of(seconds, [] {
    const auto start = Clock::now();
    independent_of_64();
    return ns_since(start);
  });
  return kTimes * 64 / ns / clock_ghz;
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
