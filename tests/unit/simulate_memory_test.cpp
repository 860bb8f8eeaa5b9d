// The simulator's memory use depends on the size of the machine's caches, plus 16 bytes per touched
// page. It doesn't depend on the program's length.
#include <gtest/gtest.h>
#include <malloc.h>

#include <map>
#include <random>

#include "simulate_support.hpp"

namespace Atoll::simulate {
namespace {

TEST(SimulatePages, TakeSixteenBytesEachAtMost) {
  Pages pages({0}, 6);
  for (std::uint64_t page = 0; page < 300'000; ++page) {
    pages.place(3, page << 12, {PageClass::small, static_cast<std::uint16_t>(page % 7), false});
    if (page > 600) {
      ASSERT_LE(pages.bytes(), 16 * (page + 2)) << page;
    }
  }
}

TEST(SimulatePages, AreFoundWhateverOthersThereAre) {
  Pages pages({0}, 6);
  std::mt19937_64 random(5);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint16_t> known;
  for (int i = 0; i < 50'000; ++i) {
    const std::uint64_t process = random() % 3, number = random() % 60'000;
    const auto home = static_cast<std::uint16_t>(random() % 4096);
    pages.place(process, number << 12, {PageClass::small, home, false});
    known[{process, number}] = home;
  }
  EXPECT_EQ(pages.touched()[0], known.size());
  for (std::uint64_t process = 0; process < 3; ++process)
    for (std::uint64_t number = 0; number < 60'000; ++number) {
      const auto expected = known.find({process, number});
      Page page;
      ASSERT_EQ(pages.find(process, (number << 12) + 123, page), expected != known.end());
      if (expected != known.end()) {
        ASSERT_EQ(page.home, expected->second);
      }
    }
}

TEST(SimulatePages, LieInTheirMemoriesOneAfterTheOther) {
  Pages pages({0, 1}, 6);
  pages.number_pages(2);
  const auto where = [&](std::uint64_t address, std::uint64_t copy = 0) {
    return pages.line_in_memory(line_key(0, address, 6, copy));
  };
  pages.place(0, 0x7000, {PageClass::small, 0, false});
  pages.place(0, 0x3000, {PageClass::small, 1, false});
  pages.place(0, 0x9000, {PageClass::small, 0, false});
  EXPECT_EQ(where(0x7080), 2U);
  EXPECT_EQ(where(0x3040), 1U);
  EXPECT_EQ(where(0x9000), 64U);
  // The location of a huge page is a multiple of its size.
  pages.place(0, 0x40'0000, {PageClass::huge, 0, false});
  EXPECT_EQ(where(0x40'1040), 512U * 64 + 65);
  // A moved page gets another location. Replicas get locations that are unique over all memories.
  pages.place(0, 0x7000, {PageClass::small, 1, false});
  EXPECT_EQ(where(0x7000), 64U);
  pages.place(0, 0x5000, {PageClass::small, 0, true});
  EXPECT_EQ(where(0x5000, 1), 1024U * 64);
  EXPECT_EQ(where(0x5000, 2), 1024U * 64);
  pages.place(0, 0x1000, {PageClass::small, 1, false});
  EXPECT_EQ(where(0x1000), 1025U * 64);
  // Locations don't change if the table grows.
  for (std::uint64_t page = 0; page < 100'000; ++page)
    pages.place(1, page << 12, {PageClass::small, 0, false});
  EXPECT_EQ(where(0x40'1040), 512U * 64 + 65);
  EXPECT_EQ(pages.line_in_memory(line_key(1, 99'999ULL << 12, 6)), (1025U + 99'999) * 64);
  EXPECT_LE(pages.bytes(), 24 * (100'000U + 10));
}

TEST(SimulateMemorySide, TakesMemoryAsItsLinesAreUsed) {
  MemorySide side({{std::uint64_t{1} << 28, 1}, 0});  // a cache of 16 GiB
  EXPECT_EQ(side.bytes(), 0U);
  for (std::uint64_t line = 0; line < 1'000'000; ++line) side.use(line, false);
  EXPECT_LT(side.bytes(), 4 * 1'000'000U + (1 << 16));
}

std::size_t allocated() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

/// Returns the bytes that the engine and its pages use after `count` accesses to random lines of
/// `pages_touched` pages.
std::size_t held_after(std::uint64_t count, std::uint64_t pages_touched) {
  const SmallMachine machine(2);
  SyntheticProgram program;
  program.pages = PageClass::small;
  for (std::uint64_t i = 0; i < 2; ++i)
    program.threads.push_back(accesses(count, [=](std::uint64_t n) {
      return n < pages_touched ? n << 12 : random_line(n, pages_touched << 6, i);
    }));
  const std::size_t before = allocated();
  Pages pages({0, 1}, machine.shape.line_bits);
  Windows windows(2, 50);
  Engine::Options options;
  options.hw_threads = machine.hw_threads;
  options.threads = {{0, 0, true}, {0, 1, true}};
  options.windows = &windows;
  Engine engine(machine.shape, machine.timing, pages, program, options);
  engine.run();
  return allocated() - before;
}

TEST(SimulateMemory, GrowsWithTouchedPagesAlone) {
  constexpr std::uint64_t kPages = 1 << 14;
  const std::size_t once = held_after(40'000, kPages);
  // Windows store some of the run's accesses, up to a fixed number.
  const std::size_t longer = held_after(800'000, kPages);
  EXPECT_LE(longer, once + (1 << 20));
  const std::size_t wider = held_after(800'000, 16 * kPages);
  EXPECT_LE(wider, longer + 16 * 16 * kPages + (1 << 18));
}

}  // namespace
}  // namespace Atoll::simulate
