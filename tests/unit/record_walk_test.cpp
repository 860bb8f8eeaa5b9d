// Walks over nested loops, and ranges, compared with the same accesses one by one.
#include <random>
#include <vector>

#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

using record::current_thread;
using record::Walk;

void play(const Walk& walk) {
  for (std::uint64_t j = 0; j < walk.outer_n; ++j)
    for (std::uint64_t i = 0; i < walk.n; ++i) {
      const std::uint64_t address = walk.address + i * static_cast<std::uint64_t>(walk.step) +
                                    j * static_cast<std::uint64_t>(walk.outer_step);
      for (std::uint32_t k = 0; k < walk.reads + walk.writes; ++k)
        record::record(current_thread(), address, walk.bytes, k >= walk.reads);
    }
}

void expect_same(const Pages& left, const Pages& right) {
  ASSERT_EQ(left.pages.size(), right.pages.size());
  for (const auto& [at, page] : left.pages) {
    const ThreadOnPage& one = page.threads.at(0);
    const ThreadOnPage& other = right.pages.at(at).threads.at(0);
    ASSERT_EQ(one.reads, other.reads) << at.second;
    ASSERT_EQ(one.writes, other.writes) << at.second;
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
    ASSERT_EQ(in_child(walked, [&] { record::record_walk(current_thread(), walk); }), 0);
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
      record::record_walk(current_thread(), {.address = kBase,
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
    record::record_walk(current_thread(),
                        {.address = kBase, .step = 8, .n = 0, .bytes = 8, .reads = 1, .writes = 0});
  });
  EXPECT_TRUE(read(region).pages.empty());
}

TEST(Recorder, RangesCountAsTheirElementsOneByOne) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    struct Range {
      std::uint64_t address;
      std::int64_t step;
      std::uint64_t n;
      std::uint32_t bytes;
      bool is_write;
    };
    std::vector<Range> ranges;
    for (int i = 0; i < 20; ++i) {
      const std::uint32_t bytes = 1U << random() % 7;
      const std::int64_t steps[] = {bytes, -static_cast<std::int64_t>(bytes),
                                    0,     3,
                                    -5,    64,
                                    72,    4096,
                                    -4104, static_cast<std::int64_t>(random() % 20000) - 10000};
      const std::uint64_t at =
          kBase + random() % 100'000 / (i % 2 == 0 ? 1 : bytes) * (i % 2 == 0 ? 1 : bytes);
      ranges.push_back(
          {at + 50'000'000, steps[random() % 10], random() % 3000, bytes, random() % 2 == 0});
    }
    const Region by_range({.bytes = 256 << 20});
    const Region one_by_one({.bytes = 256 << 20});
    in_child(by_range, [&] {
      for (const Range& r : ranges)
        record::record_range(current_thread(), r.address, r.step, r.n, r.bytes, r.is_write);
    });
    in_child(one_by_one, [&] {
      for (const Range& r : ranges)
        for (std::uint64_t i = 0; i < r.n; ++i)
          record::record(current_thread(), r.address + static_cast<std::uint64_t>(r.step) * i,
                         r.bytes, r.is_write);
    });
    expect_same(read(by_range), read(one_by_one));
    if (HasFatalFailure()) FAIL() << "round " << round;
    EXPECT_EQ(split_accesses_of(RegionView(by_range.header())),
              split_accesses_of(RegionView(one_by_one.header())));
  }
}

}  // namespace
}  // namespace Atoll::recording
