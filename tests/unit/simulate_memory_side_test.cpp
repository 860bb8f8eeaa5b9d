// Programs on machines with memory-side caches: invariants that every run must satisfy, for any
// figures.
#include <gtest/gtest.h>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns threads that read random lines and write some of them. Each thread has its own memory,
/// with pages on both nodes.
SyntheticProgram program(std::uint32_t threads, std::uint64_t count) {
  SyntheticProgram made;
  made.pages = PageClass::small;
  made.home = [](std::uint32_t, std::uint64_t address) {
    return static_cast<std::uint16_t>(address >> 12 & 1);
  };
  for (std::uint64_t thread = 0; thread < threads; ++thread)
    made.threads.push_back([=, done = std::uint64_t{0}](Batch& batch) mutable {
      for (int i = 0; i < 100 && done < count; ++i, ++done) {
        append(batch, StyledAccess{.address = (thread << 32) + random_line(done, 1 << 14, thread),
                                   .write = done % 3 == 0});
      }
      return !batch.is_empty();
    });
  return made;
}

TEST(SimulateMemorySide, LawsHoldWhateverItsFigures) {
  for (const std::uint64_t count : {50U, 3'000U})
    for (const int line_bits : {0, 2, 6})
      for (const Ticks line : {10, 2'000, 300'000})
        for (const std::uint64_t ways : {1U, 4U}) {
          SmallMachine machine(8);
          machine.shape.l1 = {16, 4};
          machine.shape.l2 = {64, 8};
          machine.shape.memory_side = {{{1024, ways}, line_bits}, {}};
          machine.timing.machine.memory_side = {{60'000, 40'000, line, 1U << line_bits}, {}};
          SyntheticProgram made = program(16, count);
          const Ran ran = run(machine, made);
          EXPECT_TRUE(ran.violated_invariants.empty()) << count << " " << line_bits << " " << line
                                                       << ": " << ran.violated_invariants.front();
          EXPECT_GT(ran.result.counts.memory_side_misses, 100U);
          // The other memory has no cache and is accessed directly.
          EXPECT_GT(ran.controllers[1].requests, 100U);
        }
}

}  // namespace
}  // namespace Atoll::simulate
