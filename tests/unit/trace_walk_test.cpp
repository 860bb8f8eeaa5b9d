// Walks of loops in loops against the same accesses one by one.
#include <random>

#include "trace_support.hpp"

namespace Atoll::trace {
namespace {

using recorder::current_thread;
using recorder::Walk;

constexpr std::uint64_t kBase = 0x7f00'0000'0000;

void play(const Walk& walk) {
  for (std::uint64_t j = 0; j < walk.outer_n; ++j)
    for (std::uint64_t i = 0; i < walk.n; ++i) {
      const std::uint64_t address = walk.address + i * static_cast<std::uint64_t>(walk.step) +
                                    j * static_cast<std::uint64_t>(walk.outer_step);
      for (std::uint32_t k = 0; k < walk.reads + walk.writes; ++k)
        recorder::record(current_thread(), address, walk.bytes, k >= walk.reads);
    }
}

void expect_same(const Pages& left, const Pages& right) {
  ASSERT_EQ(left.pages.size(), right.pages.size());
  for (const auto& [at, page] : left.pages) {
    const ThreadOnPage& one = page.threads.at(0);
    const ThreadOnPage& other = right.pages.at(at).threads.at(0);
    for (std::size_t line = 0; line < kLinesOfPage; ++line) {
      ASSERT_EQ(one.lines[line].reads, other.lines[line].reads) << at.second << " " << line;
      ASSERT_EQ(one.lines[line].writes, other.lines[line].writes) << at.second << " " << line;
      ASSERT_EQ(one.words[line], other.words[line]) << at.second << " " << line;
    }
  }
}

TEST(Walk, CountsWhatItsAccessesDo) {
  std::mt19937_64 random(5);
  const auto below = [&](std::uint64_t n) { return random() % n; };
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t bytes =
        below(4) == 0 ? static_cast<std::uint32_t>(1 + below(64)) : 1U << below(7);
    const auto step_of = [&](std::uint64_t kind) {
      const auto unit = static_cast<std::int64_t>(bytes);
      const std::int64_t steps[] = {0, unit, unit, unit * 3, 100, 4096, 8192 + unit};
      return (below(4) == 0 ? -1 : 1) * steps[kind];
    };
    Walk walk{.address = kBase + (below(3) == 0 ? below(9999) : below(900) * bytes),
              .step = step_of(below(7)),
              .n = 1 + below(700),
              .outer_step = step_of(below(7)),
              .outer_n = 1 + below(20),
              .bytes = bytes,
              .reads = static_cast<std::uint32_t>(below(3)),
              .writes = static_cast<std::uint32_t>(below(3))};
    if (walk.reads + walk.writes == 0) walk.reads = 1;
    if (below(3) == 0) walk.outer_step = walk.step * static_cast<std::int64_t>(walk.n);
    const Region walked({.bytes = 64 << 20}), played({.bytes = 64 << 20});
    ASSERT_EQ(in_child(walked, [&] { recorder::record_walk(current_thread(), walk); }), 0);
    ASSERT_EQ(in_child(played, [&] { play(walk); }), 0);
    expect_same(read(walked), read(played));
    if (HasFatalFailure()) FAIL() << "round " << round;
  }
}

TEST(Walk, CountersWiden) {
  const Region region({.bytes = 64 << 20});
  constexpr std::uint64_t kTimes = 3'000'000'000;
  in_child(region, [] {
    for (int i = 0; i < 3; ++i)
      recorder::record_walk(current_thread(), {.address = kBase,
                                               .step = 8,
                                               .n = 512,
                                               .outer_n = kTimes,
                                               .bytes = 8,
                                               .reads = 1,
                                               .writes = 2});
  });
  const Pages pages = read(region);
  EXPECT_EQ(pages.reads(), 3 * 512 * kTimes);
  EXPECT_EQ(pages.writes(), 6 * 512 * kTimes);
}

TEST(Walk, NothingIsNothing) {
  const Region region({.bytes = 64 << 20});
  in_child(region, [] {
    recorder::record_walk(
        current_thread(),
        {.address = kBase, .step = 8, .n = 0, .bytes = 8, .reads = 1, .writes = 0});
  });
  EXPECT_TRUE(read(region).pages.empty());
}

}  // namespace
}  // namespace Atoll::trace
