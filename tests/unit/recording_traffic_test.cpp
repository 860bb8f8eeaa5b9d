// Estimated traffic, compared with caches that are simulated line by line. Each thread has a 16-way
// LRU cache, and writes of other threads invalidate its lines.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "recording/traffic.hpp"
#include "recording_support.hpp"

namespace Atoll::recording {
namespace {

constexpr std::uint64_t kCacheBytes = 64 << 10;
constexpr std::size_t kObjects = 6, kThreads = 4;
using Shares = std::array<double, kObjects>;

std::uint64_t address_of(std::size_t object, std::uint64_t offset) {
  return kBase + (std::uint64_t{object} << 32) + offset;
}

/// A program: it calls access(thread, object, offset, is_write) for each access of 8 bytes.
using Access8 = std::function<void(std::size_t, std::size_t, std::uint64_t, bool)>;
using Stream = std::function<void(const Access8&)>;

class Caches {
 public:
  bool misses(std::size_t thread, std::uint64_t line, bool is_write) {
    std::vector<std::uint64_t>& own = set_of(thread, line);
    const auto found = std::ranges::find(own, line);
    const bool missed = found == own.end();
    if (!missed) own.erase(found);
    own.insert(own.begin(), line);
    if (own.size() > kWays) own.pop_back();
    for (std::size_t other = 0; is_write && other < kThreads; ++other)
      if (other != thread) std::erase(set_of(other, line), line);
    return missed;
  }

 private:
  static constexpr std::size_t kWays = 16, kSets = kCacheBytes / kLineBytes / kWays;
  std::vector<std::uint64_t>& set_of(std::size_t thread, std::uint64_t line) {
    return sets_[thread * kSets + line % kSets];
  }
  std::vector<std::vector<std::uint64_t>> sets_{kThreads * kSets};
};

Shares shares_of(const std::array<double, kObjects>& misses) {
  double all = 0;
  for (const double of : misses) all += of;
  Shares shares{};
  for (std::size_t i = 0; i < kObjects; ++i) shares[i] = misses[i] / all;
  return shares;
}

Shares simulated(const Stream& stream) {
  Caches caches;
  std::array<double, kObjects> misses{};
  stream([&](std::size_t thread, std::size_t object, std::uint64_t offset, bool is_write) {
    misses[object] += caches.misses(thread, address_of(object, offset) / kLineBytes, is_write);
  });
  return shares_of(misses);
}

struct Traffic : Consumer {
  std::array<double, kObjects> of{};
  std::uint64_t reads = 0, writes = 0;
  void page(const PageAccesses& accesses) override {
    for (const ThreadOnPage& thread : accesses.threads) {
      reads += thread.reads;
      writes += thread.writes;
      std::uint64_t lines = 0;
      for (const LineCount& line : thread.lines) {
        EXPECT_LE(line.traffic, line.reads + line.writes);
        EXPECT_EQ(line.traffic == 0, line.reads + line.writes == 0);
        lines += line.traffic;
      }
      EXPECT_EQ(thread.traffic, lines);
      of.at(accesses.objects.front().object) += static_cast<double>(thread.traffic);
    }
  }
};

/// Runs all recorded threads on one thread. The thread state that is passed to the recorder
/// identifies the accessing thread.
template <typename Work>
Traffic recorded(Work&& work) {
  const Region region({.bytes = 256 << 20, .cache_bytes = kCacheBytes});
  EXPECT_EQ(in_child(region,
                     [&] {
                       std::array<record::ThreadState*, kThreads> threads{};
                       for (auto& thread : threads) {
                         record::atoll_thread_state = nullptr;
                         thread = record::start_thread();
                       }
                       work(threads);
                     }),
            0);
  Traffic traffic;
  std::vector<ObjectLines> objects(1, {.object = 0, .first_line = 0, .end_line = 64});
  read_counts(
      RegionView(region.header()), {},
      [&](std::uint32_t, std::uint64_t page) {
        objects[0].object = static_cast<std::uint32_t>((page * kPageBytes - kBase) >> 32);
        return std::span<const ObjectLines>(objects);
      },
      {}, traffic);
  return traffic;
}

/// Checks the shares of objects with at least 5 % of the traffic: within 5 points, or within 10
/// points for objects in `nearly`, which nearly fill the cache.
void expect_shares(const Shares& estimated, const Shares& truth, std::vector<std::size_t> nearly) {
  for (std::size_t object = 0; object < kObjects; ++object) {
    if (truth[object] < 0.05 && estimated[object] < 0.05) continue;
    const bool fills = std::ranges::find(nearly, object) != nearly.end();
    EXPECT_NEAR(estimated[object], truth[object], fills ? 0.1 : 0.05) << "object " << object;
  }
}

void expect_like_caches(const Stream& stream, std::vector<std::size_t> nearly = {}) {
  const Traffic traffic = recorded([&](auto& threads) {
    stream([&](std::size_t thread, std::size_t object, std::uint64_t offset, bool is_write) {
      record::record(threads[thread], address_of(object, offset), 8, is_write);
    });
  });
  expect_shares(shares_of(traffic.of), simulated(stream), std::move(nearly));
}

/// The unit KiB is scaled so that a cache holds 256 of it.
constexpr std::uint64_t KiB = kCacheBytes / 256, MiB = 1024 * KiB;

TEST(Traffic, StreamsOfArraysBesideALocal) {
  expect_like_caches([](const Access8& access) {
    for (int pass = 0; pass < 12; ++pass)
      for (std::uint64_t i = 0; i < 4 * MiB; i += 8) {
        access(0, 0, i, false);
        access(0, 1, i, true);
        access(0, 2, 64, false);
        access(0, 2, 64, true);
      }
  });
}

TEST(Traffic, WhatFitsIsFetchedOnceThoughItHasNearlyAllAccesses) {
  expect_like_caches([](const Access8& access) {
    for (std::uint64_t i = 0; i < 32 * MiB; i += 8) {
      access(0, 0, i, false);
      for (std::uint64_t k = 0; k < 4; ++k) access(0, 1, (i * 7 + k * 4096) % (64 * KiB), false);
    }
  });
}

TEST(Traffic, AGatherAndItsIndex) {
  expect_like_caches([](const Access8& access) {
    std::minstd_rand random(1);
    for (int pass = 0; pass < 10; ++pass)
      for (std::uint64_t i = 0; i < 4 * MiB; i += 8) {
        access(0, 0, i, false);
        access(0, 1, random() % (2 * MiB) & ~std::uint64_t{7}, false);
        access(0, 2, random() % (128 * KiB) & ~std::uint64_t{7}, true);
      }
  });
}

TEST(Traffic, PhasesThatFillAndThatCompute) {
  expect_like_caches([](const Access8& access) {
    for (int phase = 0; phase < 24; ++phase) {
      for (std::uint64_t i = 0; i < 2 * MiB; i += 8) access(0, 0, i, true);
      for (int again = 0; again < 20; ++again)
        for (std::uint64_t i = 0; i < 128 * KiB; i += 8) access(0, 1, i, false);
      for (std::uint64_t i = 0; i < MiB; i += 8) access(0, 2, i, false);
    }
  });
}

TEST(Traffic, ColumnsOfAMatrix) {
  expect_like_caches([](const Access8& access) {
    constexpr std::uint64_t kRows = 8192, kRow = 2048;  // a column has more lines than the cache
    for (std::uint64_t column = 0; column < kRow; column += 8)
      for (std::uint64_t row = 0; row < kRows; ++row) {
        access(0, 0, row * kRow + column, false);
        access(0, 1, row * 8 + column * kRows, true);
      }
  });
}

TEST(Traffic, PopularEntriesOfATable) {
  expect_like_caches([](const Access8& access) {
    std::minstd_rand random(1);
    for (int i = 0; i < 2'000'000; ++i) {
      std::uint64_t range = 4 * MiB;
      while (range > 4 * KiB && random() % 3 != 0) range /= 4;
      access(0, 0, random() % range & ~std::uint64_t{7}, i % 4 == 0);
      access(0, 1, std::uint64_t{8} * static_cast<std::uint64_t>(i), false);
      access(0, 2, random() % 512 & ~std::uint64_t{7}, true);
    }
  });
}

TEST(Traffic, AnObjectThatNearlyFillsTheCache) {
  expect_like_caches(
      [](const Access8& access) {
        for (int pass = 0; pass < 120; ++pass) {
          for (std::uint64_t i = 0; i < 240 * KiB; i += 8) access(0, 0, i, false);
          for (std::uint64_t i = 0; i < 128 * KiB; i += 8)
            access(0, 1, i + static_cast<std::uint64_t>(pass) * 128 * KiB, true);
        }
      },
      {0});
}

TEST(Traffic, BlocksThatAreUsedAgain) {
  expect_like_caches([](const Access8& access) {
    constexpr std::uint64_t kSize = 384, kBlock = 32;
    const auto at = [](std::uint64_t row, std::uint64_t column) {
      return (row * kSize + column) * 8;
    };
    for (std::uint64_t rows = 0; rows < kSize; rows += kBlock)
      for (std::uint64_t k = 0; k < kSize; ++k)
        for (std::uint64_t i = rows; i < rows + kBlock; i += 8)
          for (std::uint64_t j = 0; j < kSize; ++j) {
            access(0, 0, at(i, k), false);
            access(0, 1, at(k, j), false);
            access(0, 2, at(i, j), true);
          }
  });
}

TEST(Traffic, AChaseThroughAListBesideAStack) {
  expect_like_caches([](const Access8& access) {
    std::uint64_t at = 1;
    for (int i = 0; i < 1'500'000; ++i) {
      at = (at * 5 + 12345) % 65536;
      access(0, 0, at * 64, false);
      for (std::uint64_t k = 0; k < 4; ++k) access(0, 1, 8 * (k + at % 64), k % 2 == 0);
      access(0, 2, at % 4096 * 8, false);
    }
  });
}

// Tests with several threads.

TEST(Traffic, ReadersOfAnArrayThatIncrementLocals) {
  expect_like_caches([](const Access8& access) {
    for (std::uint64_t i = 0; i < MiB; i += 8)
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        access(thread, 0, i + thread * MiB, false);
        access(thread, 1, 64 * thread, false);
        access(thread, 1, 64 * thread, true);
      }
  });
}

TEST(Traffic, ARingWhoseThreadsReadTheirNeighbours) {
  expect_like_caches([](const Access8& access) {
    for (int pass = 0; pass < 40; ++pass) {
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        for (std::uint64_t i = 0; i < 32 * KiB; i += 8) access(thread, thread, i, true);
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        for (std::uint64_t i = 0; i < 32 * KiB; i += 8)
          access(thread, (thread + 1) % kThreads, i, false);
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        for (std::uint64_t i = 0; i < 64 * KiB; i += 8)
          access(thread, 4, thread * MiB + i, true);  // its own array, which fits
    }
  });
}

TEST(Traffic, CountersInOneLine) {
  expect_like_caches([](const Access8& access) {
    for (std::uint64_t i = 0; i < 400'000; ++i)
      for (std::size_t thread = 0; thread < kThreads; ++thread) {
        access(thread, 0, 8 * thread, true);
        access(thread, 1, 8 * i % MiB + thread * MiB, false);
        access(thread, 2, 64 * thread, true);
      }
  });
}

TEST(Traffic, WhatOneThreadFillsBeforeAllReadIt) {
  expect_like_caches([](const Access8& access) {
    for (std::uint64_t i = 0; i < 64 * KiB; i += 8) access(0, 0, i, true);
    for (std::uint64_t i = 0; i < 2 * MiB; i += 8) access(0, 1, i, true);
    for (int pass = 0; pass < 4; ++pass)
      for (std::size_t thread = 0; thread < kThreads; ++thread)
        for (std::uint64_t i = 0; i < 2 * MiB; i += 8) {
          access(thread, 1, i, false);
          access(thread, 0, i % (64 * KiB), false);
        }
  });
}

// Tests of loops that are recorded as a whole.

TEST(Traffic, ALoopOverAnArrayThatDoesNotFitMissesEachTime) {
  const Traffic traffic = recorded([](auto& threads) {
    for (int pass = 0; pass < 2; ++pass) {
      // 20 passes over 2 MiB, then 80 passes over 64 KiB.
      record::record_walk(threads[0], {.address = address_of(0, 0),
                                       .step = 8,
                                       .n = 2 * MiB / 8,
                                       .outer_step = 0,
                                       .outer_n = 20,
                                       .bytes = 8,
                                       .reads = 1,
                                       .writes = 0});
      record::record_walk(threads[0], {.address = address_of(1, 0),
                                       .step = 8,
                                       .n = 64 * KiB / 8,
                                       .outer_step = 0,
                                       .outer_n = 80,
                                       .bytes = 8,
                                       .reads = 1,
                                       .writes = 0});
    }
  });
  EXPECT_NEAR(traffic.of[0], 40 * 2 * MiB / 64, 0.05 * 40 * 2 * MiB / 64);
  EXPECT_LE(traffic.of[1], 4 * 64 * KiB / 64);
  EXPECT_EQ(traffic.reads, 40 * 2 * MiB / 8 + 160 * 64 * KiB / 8);
}

// No reuse is observed within a stretch, as on slow computers, or if loops are recorded as a whole.
// Stretches are measured in CPU time, so a slow computer observes less of this short program. The
// best of several runs counts.
TEST(Traffic, RunsThatEndBeforeAnythingIsUsedAgainInAStretch) {
  constexpr std::uint64_t kLarge = 64 * MiB, kSmall = 128 * KiB;
  const auto work = [](auto& threads) {
    for (int pass = 0; pass < 8; ++pass) {
      record::record_range(threads[0], address_of(0, 0), 8, kLarge / 8, 8, pass != 0);
      record::record_range(threads[0], address_of(1, 0), 8, kSmall / 8, 8, false);
      record::record_walk(threads[0], {.address = address_of(2, 0),
                                       .step = 8,
                                       .n = kLarge / 8,
                                       .bytes = 8,
                                       .reads = 1,
                                       .writes = 1});
    }
  };
  const double passes = 8 * kLarge / 64;
  const auto error = [&](const Traffic& traffic) {
    return std::max(std::abs(traffic.of[0] - passes), std::abs(traffic.of[2] - passes));
  };
  Traffic traffic = recorded(work);
  for (int i = 0; i < 10 && error(traffic) > 0.35 * passes; ++i) traffic = recorded(work);
  EXPECT_NEAR(traffic.of[0], passes, 0.35 * passes);
  EXPECT_LE(traffic.of[1], 8 * kSmall / 64);
  EXPECT_NEAR(traffic.of[2], passes, 0.35 * passes);
}

TEST(Traffic, CountsStayExactWhileLinesAreWatched) {
  std::minstd_rand random(7);
  std::uint64_t reads = 0, writes = 0;
  std::vector<std::array<std::uint64_t, 3>> plan;
  for (int i = 0; i < 30'000; ++i) {
    const std::uint64_t times = random() % 5 == 0 ? random() % 3 * record::kMaxWrites : 1;
    plan.push_back({random() % (512 * KiB) & ~std::uint64_t{7}, times, random() % 2});
    (plan.back()[2] != 0 ? writes : reads) += times;
  }
  const Traffic traffic = recorded([&](auto& threads) {
    for (const auto& [offset, times, is_write] : plan)
      record::record_repeated(threads[0], address_of(0, offset), times, 8, is_write != 0);
  });
  EXPECT_EQ(traffic.reads, reads);
  EXPECT_EQ(traffic.writes, writes);
}

}  // namespace
}  // namespace Atoll::recording
