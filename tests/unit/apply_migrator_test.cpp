// The migrator's decisions on handwritten access histories.
#include "apply/migrator.hpp"

#include <gtest/gtest.h>

#include <random>

namespace Atoll::apply {
namespace {

/// Models the pages of one process on several nodes; all migrations succeed.
class Pages {
 public:
  explicit Pages(int nodes) : migrator_(nodes), room_(static_cast<std::size_t>(nodes), 1000) {}

  /// Records an access to `page`, initially on node 0, and executes the migrator's decisions
  /// immediately.
  void access(std::uint64_t page, int node) {
    migrator_.sampled({1, page}, node);
    decide();
  }
  void decide() {
    auto candidates = migrator_.candidates();
    for (Move& move : candidates) move.from = home(move.id.page);
    for (const Move& move : migrator_.choose(candidates, room_)) {
      homes_[move.id.page] = move.to;
      ++moves_;
      migrator_.moved(move.id);
    }
  }
  int home(std::uint64_t page) { return homes_[page]; }
  [[nodiscard]] int moves() const { return moves_; }
  std::vector<std::uint64_t>& room() { return room_; }
  Migrator& migrator() { return migrator_; }

 private:
  Migrator migrator_;
  std::vector<std::uint64_t> room_;
  std::map<std::uint64_t, int> homes_;
  int moves_ = 0;
};

TEST(Migrator, MovesAPageToTheNodeThatAccessesItOnceTheHistorySaysSo) {
  Pages pages(4);
  for (int i = 0; i < 3; ++i) pages.access(7, 2);
  EXPECT_EQ(pages.home(7), 0) << "three samples are no history";
  pages.access(7, 2);
  EXPECT_EQ(pages.home(7), 2);
  for (int i = 0; i < 100; ++i) pages.access(7, 2);
  EXPECT_EQ(pages.moves(), 1);
}

TEST(Migrator, TheFirstTouchByAnotherIsOutvoted) {
  Pages pages(4);
  pages.access(7, 0);
  for (int i = 0; i < 3; ++i) pages.access(7, 3);
  EXPECT_EQ(pages.home(7), 3);
}

TEST(Migrator, LeavesPagesThatAreUsedWhereTheyAre) {
  Pages pages(2);
  for (int i = 0; i < 100; ++i) pages.access(7, 0);
  for (int i = 0; i < 20; ++i) pages.access(7, 1);
  EXPECT_EQ(pages.moves(), 0) << "node 0 has used it more";
}

TEST(Migrator, LeavesPagesThatManyNodesUse) {
  // No node has the majority of a page's accesses, except by chance in its first samples. Each page
  // moves less than once on average.
  std::mt19937 random(1);
  Pages pages(4);
  constexpr int kPages = 100;
  const auto run = [&] {
    for (int i = 0; i < 100'000; ++i)
      pages.access(random() % kPages, static_cast<int>(random() % 4));
    return pages.moves();
  };
  const int first = run();
  EXPECT_LT(first, kPages);
  EXPECT_LE(run(), first + kPages / 20);
}

TEST(Migrator, NeverMovesBackAndForth) {
  // Two nodes alternate in runs of different lengths, or randomly. The page must stop moving after
  // a few migrations.
  for (const int run : {1, 2, 3, 5, 8, 13, 100}) {
    Pages pages(2);
    for (int i = 0; i < 20'000; ++i) pages.access(7, i / run % 2);
    EXPECT_LE(pages.moves(), 7) << run;
  }
  std::mt19937 random(2);
  int moves = 0;
  for (int page = 0; page < 50; ++page) {
    Pages pages(2);
    for (int i = 0; i < 20'000; ++i) pages.access(7, static_cast<int>(random() % 2));
    moves += pages.moves();
    EXPECT_LE(pages.moves(), 6);
  }
  EXPECT_LE(moves, 100) << "two each";
}

TEST(Migrator, FollowsAProgramThatReallyChanges) {
  Pages pages(4);
  for (int i = 0; i < 200; ++i) pages.access(7, 1);
  int samples = 0;
  for (; pages.home(7) != 2 && samples < 1000; ++samples) pages.access(7, 2);
  EXPECT_EQ(pages.home(7), 2);
  EXPECT_LT(samples, 150) << "old samples count less";
}

TEST(Migrator, NeverFillsANodeBeyondItsRoom) {
  Pages pages(2);
  pages.room() = {1000, 5};
  for (std::uint64_t page = 0; page < 20; ++page)
    for (int i = 0; i < 8; ++i) pages.access(page, 1);
  EXPECT_EQ(pages.moves(), 5);
  EXPECT_EQ(pages.room()[1], 0);
}

TEST(Migrator, PagesThatAreNowhereAndNodesThatAreNot) {
  Migrator migrator(2);
  for (int i = 0; i < 10; ++i) {
    migrator.sampled({1, 7}, 1);
    migrator.sampled({1, 8}, -1);
    migrator.sampled({1, 9}, 2);
  }
  auto candidates = migrator.candidates();
  ASSERT_EQ(candidates.size(), 1);
  std::vector<std::uint64_t> room{9, 9};
  for (const int unknown : {-2, 1, 5}) {  // -ENOENT; the current node; a node that doesn't exist
    candidates[0].from = unknown;
    EXPECT_TRUE(migrator.choose(candidates, room).empty());
  }
  migrator.forget(1);
  EXPECT_EQ(migrator.pages(), 0);
  candidates[0].from = 0;
  EXPECT_TRUE(migrator.choose(candidates, room).empty());
}

}  // namespace
}  // namespace Atoll::apply
