// Loops of ranges, compared with the same accesses one by one: all counts are equal.
#include <gtest/gtest.h>

#include <random>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

/// Returns loops over several arrays with different steps. If `one_by_one`, they are single
/// accesses.
SyntheticProgram::Next loops(unsigned seed, std::uint64_t base, bool one_by_one) {
  return [=, random = std::mt19937_64(seed), left = 60](Batch& batch) mutable {
    if (left-- == 0) return false;
    constexpr std::int64_t kSteps[] = {8, 8, 4, -8, 16, 0, 24, 100, 4096, 1};
    const std::uint64_t ranges = 1 + random() % 4, n = 1 + random() % 400;
    std::vector<recording::AccessRange> all;
    std::vector<record::AccessStyle> styles;
    for (std::uint64_t i = 0; i < ranges; ++i) {
      recording::AccessRange range;
      record::AccessStyle style;
      range.address = base + (random() % 4 << 21) + random() % (1 << 20) + (1 << 22);
      if (random() % 2 == 0) range.address &= ~std::uint64_t{4095};  // same set as other ranges
      range.step = kSteps[random() % std::size(kSteps)];
      range.n = random() % 3 == 0 ? 1 + random() % 400 : n;
      range.bytes = random() % 5 == 0 ? 40 : 8;
      style.work.instructions = static_cast<std::uint32_t>(random() % 4);
      range.depends_on = random() % 4 == 0 ? 1 : 0;
      style.work.chain = random() % 6 == 0 ? 2 : 0;
      range.write = random() % 3 == 0;
      style.atomic = range.write && random() % 10 == 0;
      range.style = static_cast<std::uint8_t>(i);
      all.push_back(range);
      styles.push_back(style);
    }
    if (!one_by_one) {
      for (std::uint32_t i = 0; i < ranges; ++i) batch.define(i, styles[i]);
      batch.add_loop(all);
      return true;
    }
    for (std::uint64_t i = 0; i < 400; ++i)
      for (const recording::AccessRange& range : all) {
        if (i >= range.n) continue;
        record::AccessStyle style = styles[range.style];
        style.depends_on = i == 0 ? range.depends_on : 0;
        append(batch,
               StyledAccess{.style = style,
                            .address = range.address + i * static_cast<std::uint64_t>(range.step),
                            .bytes = range.bytes,
                            .write = range.write});
      }
    return true;
  };
}

TEST(SimulateLoops, AreTheSameAsTheirAccessesOneByOne) {
  struct Case {
    std::uint32_t threads, window;
    bool in_order;
  };
  // With a window of 12 instructions, even hits delay later instructions.
  for (const auto& [threads, window, in_order] :
       {Case{1, 128, false}, {1, 12, false}, {1, 128, true}, {3, 128, false}})
    for (const PageClass pages : {PageClass::small, PageClass::huge}) {
      SmallMachine machine(2);
      machine.timing.core.window = window;
      machine.timing.core.in_order = in_order;
      machine.shape.prefetch_streams = 8;
      machine.shape.l1 = {64, 2};  // more ranges than ways
      machine.shape.tlb1 = {CacheShape{4, 2}, CacheShape{2, 2}, CacheShape{4, 4}};
      machine.timing.core.division = 8'000;
      machine.timing.core.chain_step = 1'600;
      machine.timing.core.atomic = 8'000;
      machine.timing.core.l1_fill = 400;
      // Threads 0 and 1 share a core.
      machine.hw_threads[1].core = machine.hw_threads[1].l2 = 0;
      std::vector<Ran> rans;
      std::vector<double> times;
      for (const bool one_by_one : {false, true}) {
        SyntheticProgram program;
        program.pages = pages;
        for (std::uint32_t i = 0; i < threads; ++i)  // pairs of threads share their memory
          program.threads.push_back(loops(i, std::uint64_t{i / 2} << 23, one_by_one));
        Windows windows(threads, 3);
        rans.push_back(run(machine, program, {}, &windows));
        times.push_back(windows.time(machine.timing, machine.hw_threads));
      }
      const EngineResult &a = rans[0].result, &b = rans[1].result;
      EXPECT_GT(a.accesses, 20'000U);
      EXPECT_EQ(a.accesses, b.accesses);
      EXPECT_EQ(a.elapsed, b.elapsed);
      EXPECT_EQ(a.thread_time, b.thread_time);
      EXPECT_EQ(a.counts, b.counts);
      for (std::size_t part = 0; part < a.stack.parts(); ++part)
        EXPECT_EQ(a.stack[part], b.stack[part]) << part;
      EXPECT_EQ(a.objects[0].time, b.objects[0].time);
      EXPECT_EQ(a.objects[0].accesses, b.objects[0].accesses);
      for (std::size_t level = 0; level < a.camat.size(); ++level) {
        EXPECT_EQ(a.camat[level].accesses, b.camat[level].accesses);
        EXPECT_EQ(a.camat[level].active, b.camat[level].active);
        EXPECT_EQ(a.camat[level].hit_active, b.camat[level].hit_active);
        EXPECT_EQ(a.camat[level].pure_misses, b.camat[level].pure_misses);
        EXPECT_EQ(a.camat[level].pure_miss_time, b.camat[level].pure_miss_time);
      }
      EXPECT_EQ(times[0], times[1]);
      EXPECT_TRUE(rans[0].violated_invariants.empty());
    }
}

/// An in-order core's wait is attributed to the last load, even if an earlier load takes longer.
TEST(SimulateLoops, InOrderTheLastLoadIsBlamed) {
  constexpr std::uint64_t kFar = 1ULL << 30, kNear = 2ULL << 30;
  std::vector<Stack> stacks;
  for (const bool one_by_one : {false, true}) {
    SmallMachine machine(1);
    machine.timing.core.in_order = true;
    SyntheticProgram program;
    program.home = [](std::uint32_t, std::uint64_t address) -> std::uint16_t {
      return address < kNear ? 1 : 0;
    };
    program.threads.push_back([=, calls = 0](Batch& batch) mutable {
      if (calls++ > 0) return false;
      const auto load = [&](std::uint64_t address, std::uint32_t depends_on = 0) {
        append(batch, StyledAccess{.style = {.depends_on = depends_on}, .address = address});
      };
      for (const std::uint64_t page : {kFar, kNear}) load(page + 4096);  // the TLB then has both
      batch.add(recording::Work{.instructions = 100'000});
      if (one_by_one) {
        for (std::uint64_t i = 0; i < 8; ++i)
          for (const std::uint64_t page : {kFar, kNear}) load(page + i * 8);
      } else {
        std::vector<recording::AccessRange> ranges;
        for (const std::uint64_t page : {kFar, kNear})
          ranges.push_back({.address = page, .step = 8, .n = 8, .bytes = 8});
        batch.add_loop(ranges);
      }
      load(kNear + 4096, 1);
      return true;
    });
    stacks.push_back(run(machine, program).result.stack);
  }
  for (std::size_t part = 0; part < stacks[0].parts(); ++part)
    EXPECT_EQ(stacks[0][part], stacks[1][part]) << part;
  EXPECT_GT(stacks[0][kLocal], 90'000);  // the near memory takes 100 ns
}

}  // namespace
}  // namespace Atoll::simulate
