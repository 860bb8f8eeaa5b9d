// The profile builder, compared with manual calculations, and with brute force over synthetic
// accesses.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <ctime>
#include <set>

#include "profile/line_use.hpp"
#include "profile/pack.hpp"
#include "profile_support.hpp"

namespace Atoll::profile {
namespace {

TEST(ProfileBuilder, CountsPagesByObjectAndThread) {
  SyntheticRun run(2);
  const std::uint32_t object = run.object("f", 1, 3 * 4096);
  run.touch(1, object, 8192 + 64, 5, 2);
  run.touch(0, object, 0, 1, 0);
  run.touch(1, object, 0, 7, 0);
  const Profile profile = run.build();
  ASSERT_EQ(profile.chunks.size(), 2U);
  Unpacker unpacker;
  const Chunk chunk = unpacker.unpack(profile.chunks[1]);
  EXPECT_EQ(chunk.thread, 1U);
  EXPECT_EQ(chunk.first_page, run.first_page(object));
  EXPECT_EQ(chunk.pages, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(chunk.reads, (std::vector<std::uint64_t>{7, 5}));
  EXPECT_EQ(chunk.writes, (std::vector<std::uint64_t>{0, 2}));
  ASSERT_EQ(profile.first_touch.size(), 1U);
  EXPECT_EQ(profile.first_touch[0].threads, (std::vector<std::uint32_t>{0, 1}));
}

TEST(ProfileBuilder, CommunicationIsTheSmallerCountOfALine) {
  SyntheticRun run(3);
  const std::uint32_t object = run.object("f", 1, 4096);
  run.touch(0, object, 0, 10, 0);  // a line that both threads only read
  run.touch(1, object, 0, 4, 0);
  run.touch(1, object, 64, 0, 6);  // a line that thread 1 writes
  run.touch(2, object, 64, 9, 0);
  run.touch(0, object, 64, 2, 0);
  const Profile profile = run.build();
  EXPECT_EQ(profile.communication, (Communication{{{0, 1}, 4 + 2}, {{0, 2}, 2}, {{1, 2}, 6}}));
  EXPECT_EQ(profile.write_communication, (Communication{{{0, 1}, 2}, {{1, 2}, 6}}));
  EXPECT_EQ(profile.sharing[object].communication, 14U);
  EXPECT_EQ(profile.sharing[object].write_communication, 8U);
}

TEST(ProfileBuilder, SharingByWords) {
  SyntheticRun run(2);
  const std::uint32_t object = run.object("f", 1, 4096);
  run.touch(0, object, 0, 1, 1);   // a private line
  run.touch(0, object, 64, 1, 0);  // read by both threads
  run.touch(1, object, 64, 1, 0);
  run.touch(0, object, 128, 0, 1);  // the same word, which one thread writes
  run.touch(1, object, 128, 1, 0);
  run.touch(0, object, 192, 0, 1);  // different words of the same line
  run.touch(1, object, 200, 0, 1);
  const Sharing sharing = run.build().sharing[object];
  EXPECT_EQ(sharing.private_lines, 1U);
  EXPECT_EQ(sharing.read_shared_lines, 1U);
  EXPECT_EQ(sharing.write_shared_lines, 1U);
  EXPECT_EQ(sharing.falsely_shared_lines, 1U);
  EXPECT_EQ(sharing.unknown_pages, 0U);
}

TEST(ProfileBuilder, WhoPollsAWordSpinsAndWhoLooksUpInATableDoesNot) {
  SyntheticRun run(3);
  const std::uint32_t object = run.object("f", 1, 4096);
  run.touch(0, object, 0, 0, 10);  // a flag that the others poll
  for (std::uint32_t thread = 1; thread < 3; ++thread)
    run.touch_cached(thread, object, 0, 5000, 0, 10);
  for (std::uint64_t word = 0; word < 8; ++word) {  // a table line, set by thread 0
    run.touch(0, object, 64 + 8 * word, 0, 1);
    for (std::uint32_t thread = 1; thread < 3; ++thread)
      run.touch_cached(thread, object, 64 + 8 * word, 5000, 0, 1);
  }
  run.touch(0, object, 128, 0, 10);  // the others read unwritten words of the line
  for (std::uint32_t thread = 1; thread < 3; ++thread)
    run.touch_cached(thread, object, 136, 5000, 0, 10);
  const Sharing sharing = run.build().sharing[object];
  EXPECT_EQ(sharing.spinning_lines, 1U);
  EXPECT_EQ(sharing.spinning_accesses, 10'010U);
  EXPECT_EQ(sharing.read_shared_lines, 1U);  // the table's line, written once, then read
  EXPECT_EQ(sharing.write_shared_lines, 1U);
}

TEST(ProfileBuilder, LinesAreDescribedAsTheyAreUsedAfterTheyWereFilled) {
  SyntheticRun run(4);
  const std::uint32_t object = run.object("f", 1, 4096);
  for (std::uint64_t word = 0; word < 8; ++word)
    for (const std::uint64_t line : {0, 1, 2, 3}) run.touch(0, object, 64 * line + 8 * word, 0, 1);
  for (std::uint64_t word = 0; word < 8; ++word) {
    for (std::uint32_t thread = 1; thread < 4; ++thread) run.touch(thread, object, 8 * word, 20, 0);
    run.touch(1, object, 64 + 8 * word, 20, 20);
    for (std::uint32_t thread = 1; thread < 4; ++thread)
      run.touch(thread, object, 128 + 8 * word, 20, 20);
    run.touch(1, object, 192 + 8 * word, 1, 0);  // few accesses after the initialization
  }
  for (std::uint64_t word = 0; word < 8; ++word) {  // initialized by thread 1
    run.touch(1, object, 256 + 8 * word, 0, 1);
    for (std::uint32_t thread = 2; thread < 4; ++thread)
      run.touch(thread, object, 256 + 8 * word, 20, 0);
  }
  const Sharing sharing = run.build().sharing[object];
  EXPECT_EQ(sharing.read_shared_lines, 1U);
  EXPECT_EQ(sharing.private_lines, 1U);
  EXPECT_EQ(sharing.write_shared_lines, 3U);
}

TEST(ProfileBuilder, WhoUsesALineLittleDoesntHideFalseSharing) {
  SyntheticRun run(5);
  const std::uint32_t object = run.object("f", 1, 4096);
  for (std::uint32_t thread = 1; thread < 5; ++thread) {
    run.touch(0, object, 8 * thread, 0, 1);  // initialized by the main thread
    run.touch(thread, object, 8 * thread, 1000, 1000);
  }
  run.touch(0, object, 8, 1, 0);                          // the main thread also reads a result
  for (std::uint32_t thread = 1; thread < 5; ++thread) {  // the same, but all use word 0, too
    run.touch(thread, object, 64 + 8 * thread, 900, 900);
    run.touch(thread, object, 64, 200, 0);
  }
  run.touch(1, object, 128, 500, 0);  // only thread 3 writes the line, and only once
  run.touch(2, object, 136, 500, 0);
  run.touch(3, object, 128, 0, 1);
  const Sharing sharing = run.build().sharing[object];
  EXPECT_EQ(sharing.falsely_shared_lines, 1U);
  EXPECT_EQ(sharing.falsely_shared_traffic, 8005U);
  EXPECT_EQ(sharing.write_shared_lines, 2U);
  EXPECT_EQ(sharing.write_shared_traffic, 8000U + 1001);
}

TEST(ProfileBuilder, APageWithoutLinesIsOneLine) {
  SyntheticRun run(2);
  const std::uint32_t object = run.object("f", 1, 4096);
  run.touch_page(0, object, 0, 30, 0);
  run.touch_page(1, object, 0, 0, 20);
  const Profile profile = run.build();
  EXPECT_EQ(profile.communication, (Communication{{{0, 1}, 20}}));
  EXPECT_EQ(profile.write_communication, profile.communication);
  EXPECT_EQ(profile.sharing[object].unknown_pages, 1U);
}

TEST(ProfileBuilder, WhatNoObjectCoversIsAnObjectOfItsProcess) {
  SyntheticRun run(1);
  const std::uint32_t object = run.object("f", 1, 64);
  run.touch(0, object, 0, 1, 0);
  run.touch(0, object, 640, 5, 0);  // beyond the object's end, in the same page
  const Profile profile = run.build();
  ASSERT_EQ(profile.recording.objects.size(), 2U);
  EXPECT_EQ(profile.recording.objects[1].kind, recording::ObjectKind::other);
  ASSERT_EQ(profile.chunks.size(), 2U);
  EXPECT_EQ(profile.chunks[0].reads, 1U);
  EXPECT_EQ(profile.chunks[1].reads, 5U);
}

/// Returns each thread's reads and writes of an object.
std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> accesses_to(const Profile& profile,
                                                                             std::uint32_t object) {
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> sums;
  for (const PackedChunk& chunk : profile.chunks)
    if (chunk.object == object) {
      sums[chunk.thread].first += chunk.reads;
      sums[chunk.thread].second += chunk.writes;
    }
  return sums;
}

TEST(ProfileBuilder, ALineOfSeveralObjectsIsSharedOutByTouchedWords) {
  SyntheticRun run(4);
  const std::uint32_t cold = run.object("cold", 1, 8);
  const std::uint32_t hot = run.object("hot", 2, 8, true);
  const std::uint32_t large = run.object("large", 3, 48, true);  // owns most bytes of the line
  run.touch(0, hot, 0, 1000, 500);                               // used by one thread
  run.touch(1, cold, 0, 5, 0);  // 10 reads and 1 write of three words in two objects
  run.touch(1, large, 0, 3, 1);
  run.touch(1, large, 8, 2, 0);
  run.touch(2, large, 16, 7, 0);
  const Profile profile = run.build();
  using Sums = std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(accesses_to(profile, hot), (Sums{{0, {1000, 500}}}));
  EXPECT_EQ(accesses_to(profile, cold), (Sums{{1, {3, 0}}}));
  EXPECT_EQ(accesses_to(profile, large), (Sums{{1, {7, 1}}, {2, {7, 0}}}));
}

TEST(ProfileBuilder, AFalselySharedLineIsOneOfEachOfItsObjects) {
  SyntheticRun run(2);
  const std::uint32_t first = run.object("first", 1, 8);
  const std::uint32_t second = run.object("second", 2, 8, true);
  const std::uint32_t untouched = run.object("untouched", 3, 48, true);
  run.touch(0, first, 0, 0, 300);
  run.touch(1, second, 0, 0, 100);
  const Profile profile = run.build();
  EXPECT_EQ(profile.sharing[first].falsely_shared_lines, 1U);
  EXPECT_EQ(profile.sharing[first].falsely_shared_traffic, 300U);
  EXPECT_EQ(profile.sharing[first].communication, 75U);  // three quarters of min(300, 100)
  EXPECT_EQ(profile.sharing[second].falsely_shared_lines, 1U);
  EXPECT_EQ(profile.sharing[second].falsely_shared_traffic, 100U);
  EXPECT_EQ(profile.sharing[second].communication, 25U);
  EXPECT_EQ(profile.sharing[untouched], Sharing{});
}

TEST(ProfileBuilder, ManyThreadsAreBoundedAndSaid) {
  SyntheticRun run(kCommunicatingThreads + 2);
  const std::uint32_t object = run.object("f", 1, 4096);
  for (const std::uint32_t thread : {0U, 1U, kCommunicatingThreads, kCommunicatingThreads + 1})
    run.touch(thread, object, 0, 3, 0);
  const Profile profile = run.build();
  EXPECT_EQ(profile.communication, (Communication{{{0, 1}, 3}}));
  ASSERT_EQ(profile.recording.losses.size(), 1U);
  EXPECT_EQ(profile.recording.losses[0].count, 1U);
}

TEST(ProfileBuilder, LinesThatAreUsedAlikeAreMultiplied) {
  SyntheticRun run(3);
  const std::uint32_t object = run.object("f", 1, 64 * 4096);
  for (std::uint64_t line = 0; line < 4096; ++line) {
    run.touch(0, object, 64 * line, 5, line == 99 ? 1 : 0);
    run.touch(2, object, 64 * line, line < 1000 ? 3 : 4, 0);
  }
  const Profile profile = run.build();
  EXPECT_EQ(profile.communication, (Communication{{{0, 2}, 1000 * 3 + 3096 * 4}}));
  EXPECT_EQ(profile.write_communication, (Communication{{{0, 2}, 3}}));
  EXPECT_EQ(profile.sharing[object].communication, 1000U * 3 + 3096 * 4);
}

TEST(ProfileBuilder, ManyThreadsOnALineTakeNoSquareOfThem) {
  constexpr std::uint32_t kThreads = 2000;
  for (const bool alike : {true, false}) {
    SyntheticRun run(kThreads);
    const std::uint32_t object = run.object("f", 1, 64 * 4096);
    ProfileBuilder builder;
    builder.begin(run.recording);
    std::vector<recording::ThreadOnPage> threads(kThreads);
    const recording::ObjectLines part{.object = object, .end_line = recording::kLinesOfPage};
    double pairs = 0;
    std::clock_t taken = 0;
    const std::uint64_t pages = alike ? 64 : 2;  // 4096 lines, or 128
    for (std::uint64_t page = 0; page < pages; ++page) {
      for (std::uint32_t i = 0; i < kThreads; ++i) {
        threads[i] = {.thread = i, .reads = 64 * 300, .traffic = 64 * 300, .by_lines = true};
        for (int line = 0; line < 64; ++line) {
          const std::uint64_t reads = alike ? 300 : 200 + (i * 37 + line * 11) % 100;
          threads[i].lines[line] = {.reads = reads, .traffic = reads};
        }
      }
      const std::clock_t start = std::clock();
      builder.page({.page = run.first_page(object) + page,
                    .threads = threads,
                    .objects = std::span(&part, 1)});
      taken += std::clock() - start;
      std::vector<std::uint64_t> sorted(kThreads);  // by brute force
      for (int line = 0; line < 64; ++line) {
        for (std::uint32_t i = 0; i < kThreads; ++i) sorted[i] = threads[i].lines[line].reads;
        std::ranges::sort(sorted);
        for (std::uint32_t i = 0; i < kThreads; ++i)
          pairs += static_cast<double>(sorted[i]) * (kThreads - 1 - i);
      }
    }
    builder.end(run.recording);
    const Profile profile = builder.take();
    EXPECT_LT(taken, 2 * CLOCKS_PER_SEC);
    EXPECT_GT(profile.communication.size(), std::size_t{kPairedUsers * (kPairedUsers - 1) / 2 - 1});
    EXPECT_NEAR(static_cast<double>(profile.sharing[object].communication) / pairs, 1, 0.02);
    ASSERT_EQ(profile.recording.losses.size(), 1U);
    EXPECT_EQ(profile.recording.losses[0].count, 64 * pages);
  }
}

/// Communication of each pair, as sums of unrounded amounts.
struct PairSums {
  struct Sum {
    double all = 0, written = 0, count = 0;
  };
  void add(std::uint32_t i, std::uint32_t j, double amount, bool writes) {
    Sum& sum = sums[{i, j}];
    sum.all += amount;
    if (writes) sum.written += amount;
    ++sum.count;
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, Sum> sums;
};

/// One thread initializes an array in epoch 0. From epoch `begin` on, four threads use one part
/// each.
SyntheticRun filled_then_used(int begin) {
  SyntheticRun run(5);
  const std::uint32_t data = run.object("make_data", 3, 64 * 4096);
  for (std::uint32_t page = 0; page < 64; ++page) {
    run.touch(4, data, page * 4096, 0, 1000, 0b1);
    run.touch(page / 16, data, page * 4096, 800, 200, 0xfULL << begin);
  }
  return run;
}

TEST(ProfileBuilder, FillingIsNoCommunication) {
  EXPECT_TRUE(filled_then_used(2).build().communication.empty());
  // Initialization directly before: a quarter of the workers' accesses are in epoch 1.
  const Communication after = filled_then_used(1).build().communication;
  ASSERT_EQ(after.size(), 4U);
  EXPECT_EQ(after.at({0, 4}), 16 * 250U);
  // Initialization in the workers' first epoch: two of four epochs count.
  EXPECT_EQ(filled_then_used(0).build().communication.at({3, 4}), 16 * 500U);
}

TEST(ProfileBuilder, HandoversFromEpochToEpochAreCommunication) {
  SyntheticRun run(2);
  const std::uint32_t data = run.object("make_data", 3, 4096);
  run.touch(0, data, 0, 0, 600, 0b010101);
  run.touch(1, data, 0, 500, 0, 0b101010);
  EXPECT_EQ(run.build().communication.at({0, 1}), 500U);
}

TEST(ProfileBuilder, SamplesDontTellInWhichEpochsAPageIsUsed) {
  SyntheticRun run = filled_then_used(5);
  run.recording.frontend = recording::FrontendName::sample;
  EXPECT_EQ(run.build().communication.at({0, 4}), 16 * 1000U);
}

TEST(ProfileBuilder, AgreesWithBruteForceOnRandomRuns) {
  bool any_parts_of_lines = false, apart_in_time = false;
  for (std::uint32_t seed = 0; seed < 6; ++seed) {
    const SyntheticRun run = random_run(seed);
    const Profile profile = run.build();
    using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>;
    std::map<Key, std::pair<std::uint64_t, std::uint64_t>> counted;
    std::map<Key, std::array<double, 2>> expected;  // reads and writes
    std::map<Key, int> rounded;                     // number of lines whose share is rounded
    std::map<std::tuple<std::uint32_t, std::uint64_t>, std::array<std::uint64_t, 2>> of_page;
    PairSums all;
    std::uint64_t lines = 0, shared = 0, false_lines = 0, false_accesses = 0;
    for (const auto& [key, threads] : run.pages()) {
      const bool by_lines =
          std::ranges::all_of(threads, [](const auto& entry) { return entry.second.by_lines; });
      for (const auto& [thread, row] : threads) {
        for (int line = 0; line < 64; ++line) {
          const double reads = static_cast<double>(row.lines[line].reads);
          const double writes = static_cast<double>(row.lines[line].writes);
          const int touched = std::popcount(row.words[line]);
          std::set<std::uint32_t> owners;
          for (unsigned word = 0; word < 8; ++word)
            if (((row.words[line] >> word) & 1U) != 0) {
              const std::uint64_t address = key.second * 4096 + line * 64U + word * 8;
              const std::uint32_t owner = run.object_at(key.first, address);
              owners.insert(owner);
              auto& sum = expected[{owner, thread, key.second}];
              sum[0] += reads / touched;
              sum[1] += writes / touched;
            }
          if (owners.size() > 1)
            for (const std::uint32_t owner : owners) ++rounded[{owner, thread, key.second}];
        }
        of_page[{thread, key.second}] = {row.reads, row.writes};
      }
      // Returns the accesses of `a` in epochs at most one away from an epoch of `b`. Assumes that
      // accesses are uniform over the epochs of `a`.
      const auto beside = [](double accesses, const recording::ThreadOnPage& a,
                             const recording::ThreadOnPage& b) {
        int epochs = 0, near = 0;
        for (int epoch = 0; epoch < 64; ++epoch) {
          if ((a.epochs >> epoch & 1U) == 0) continue;
          ++epochs;
          bool found = false;
          for (int other = std::max(0, epoch - 1); other <= std::min(63, epoch + 1); ++other)
            found = found || (b.epochs >> other & 1U) != 0;
          if (found) ++near;
        }
        return accesses * near / epochs;
      };
      for (const auto& [i, a] : threads)
        for (const auto& [j, b] : threads)
          for (int line = 0; by_lines && line < 64; ++line) {
            const std::uint64_t n = a.lines[line].reads + a.lines[line].writes;
            const std::uint64_t m = b.lines[line].reads + b.lines[line].writes;
            if (i >= j || n == 0 || m == 0) continue;
            const double amount = std::min(beside(static_cast<double>(n), a, b),
                                           beside(static_cast<double>(m), b, a));
            const bool writes = a.lines[line].writes + b.lines[line].writes > 0;
            apart_in_time = apart_in_time || amount < static_cast<double>(std::min(n, m));
            all.add(i, j, amount, writes);
          }
      if (by_lines) {
        for (int line = 0; line < 64; ++line) {
          std::set<std::uint32_t> users;
          std::uint64_t sum = 0;
          for (const auto& [thread, row] : threads)
            if (const std::uint64_t own = row.lines[line].reads + row.lines[line].writes; own > 0) {
              users.insert(thread);
              sum += own;
            }
          std::vector<const recording::ThreadOnPage*> counted_users;
          for (const std::uint32_t thread : users) {
            const recording::ThreadOnPage& row = threads.at(thread);
            if (10 * users.size() * (row.lines[line].reads + row.lines[line].writes) >= sum)
              counted_users.push_back(&row);
          }
          bool apart = counted_users.size() > 1, one_writes = false;
          for (const recording::ThreadOnPage* a : counted_users) {
            one_writes = one_writes || a->lines[line].writes > 0;
            for (const recording::ThreadOnPage* b : counted_users)
              if (a != b && (a->words[line] & b->words[line]) != 0) apart = false;
          }
          // A line counts once for each object that has accessed words in it.
          std::set<std::uint32_t> owners;
          for (const std::uint32_t thread : users)
            for (unsigned word = 0; word < 8; ++word)
              if (((threads.at(thread).words[line] >> word) & 1U) != 0)
                owners.insert(run.object_at(key.first, key.second * 4096 + line * 64U + word * 8));
          lines += owners.size();
          // If the page's first thread initializes a line for one other thread, the line belongs to
          // the other thread.
          bool is_filled = false;
          const auto first = std::ranges::min_element(
              threads, {}, [](const auto& entry) { return entry.second.first_access; });
          if (const recording::LineCount& of = first->second.lines[line]; of.writes > 0)
            is_filled =
                users.size() == 2 && of.writes <= 2U * std::popcount(first->second.words[line]) &&
                sum >= 5 * of.writes && (of.reads == 0 || 10 * (of.reads + of.writes) <= sum) &&
                !(apart && one_writes);
          shared += users.size() > 1 && !is_filled ? owners.size() : 0;
          if (apart && one_writes) {
            false_lines += owners.size();
            false_accesses += sum;
          }
        }
        continue;
      }
      for (const auto& [i, a] : threads)
        for (const auto& [j, b] : threads)
          if (i < j) {
            all.add(i, j,
                    std::min(beside(static_cast<double>(a.reads + a.writes), a, b),
                             beside(static_cast<double>(b.reads + b.writes), b, a)),
                    a.writes + b.writes > 0);
          }
    }
    for (const auto& [threads, sum] : all.sums) {
      const auto found = [&, pair = threads](const Communication& of) {
        return of.contains(pair) ? static_cast<double>(of.at(pair)) : 0.0;
      };
      const double rounding = 0.5 * sum.count + 1e-6;  // each line's amount is rounded
      EXPECT_NEAR(found(profile.communication), sum.all, rounding);
      EXPECT_NEAR(found(profile.write_communication), sum.written, rounding);
    }
    for (const auto& [pair, amount] : profile.communication) EXPECT_TRUE(all.sums.contains(pair));
    std::uint64_t found_lines = 0, found_shared = 0, found_false = 0, found_false_accesses = 0;
    for (const Sharing& sharing : profile.sharing) {
      found_shared +=
          sharing.read_shared_lines + sharing.write_shared_lines + sharing.falsely_shared_lines;
      found_lines += sharing.private_lines;
      found_false += sharing.falsely_shared_lines;
      found_false_accesses += sharing.falsely_shared_traffic;
    }
    EXPECT_EQ(found_lines + found_shared, lines);
    EXPECT_EQ(found_shared, shared);
    EXPECT_EQ(found_false, false_lines);
    EXPECT_EQ(found_false_accesses, false_accesses);
    Unpacker unpacker;
    const PackedChunk* last = nullptr;
    for (const PackedChunk& packed : profile.chunks) {
      if (last != nullptr) {
        EXPECT_LT(std::tuple(last->object, last->first_page, last->thread),
                  std::tuple(packed.object, packed.first_page, packed.thread));
      }
      last = &packed;
      const Chunk& chunk = unpacker.unpack(packed);
      for (std::size_t i = 0; i < chunk.pages.size(); ++i)
        counted[{chunk.object, chunk.thread, chunk.first_page + chunk.pages[i]}] = {
            chunk.reads[i], chunk.writes[i]};
    }
    for (const auto& [key, sum] : counted) {
      auto& whole = of_page[{std::get<1>(key), std::get<2>(key)}];
      whole[0] -= sum.first;
      whole[1] -= sum.second;
    }
    for (const auto& [key, rest] : of_page) EXPECT_EQ(rest, (std::array<std::uint64_t, 2>{}));
    std::size_t parts_of_lines = 0;
    for (const auto& [key, sum] : expected) {
      if (std::get<2>(key) % 17 == 3) continue;  // pages that random_run records without lines
      const auto found = counted.find(key);
      const double off = 1e-6 + rounded[key];
      ASSERT_TRUE(found != counted.end() || sum[0] + sum[1] <= 2 * off);
      if (found == counted.end()) continue;
      EXPECT_NEAR(static_cast<double>(found->second.first), sum[0], off);
      EXPECT_NEAR(static_cast<double>(found->second.second), sum[1], off);
      parts_of_lines += rounded[key] > 0 ? 1 : 0;
    }
    any_parts_of_lines = any_parts_of_lines || parts_of_lines > 0;
  }
  EXPECT_TRUE(any_parts_of_lines);
  EXPECT_TRUE(apart_in_time);
}

TEST(ProfilePack, AnyChunkComesBack) {
  std::mt19937_64 random(3);
  Packer packer;
  Unpacker unpacker;
  for (int round = 0; round < 200; ++round) {
    Chunk chunk{.object = 1, .thread = 2, .first_page = 512};
    for (std::uint32_t page = 0; page < kChunkPages; ++page)
      if (random() % (1 + round % 7) == 0) {
        chunk.pages.push_back(page);
        chunk.reads.push_back(random() >> (12 + random() % 52));
        chunk.writes.push_back(random() >> (12 + random() % 52));
        chunk.traffic.push_back(random() >> (12 + random() % 52));
        chunk.lines.push_back(random() % 65);
        chunk.epochs.push_back(random());
      }
    if (chunk.pages.empty()) continue;
    EXPECT_EQ(unpacker.unpack(packer.pack(chunk)), chunk);
  }
}

}  // namespace
}  // namespace Atoll::profile
