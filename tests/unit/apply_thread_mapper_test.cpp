// Selection of threads by the online migrator: it maps only threads that communicate steadily in
// groups, and ignores random fluctuations.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <random>

#include "apply/thread_mapper.hpp"

namespace Atoll::apply {
namespace {

/// A program with synthetic samples: `user_of` chooses the thread that accesses each sampled page.
class Program {
 public:
  Program(std::size_t threads, std::size_t nodes, std::uint32_t seed) : random_(seed) {
    std::map<int, std::size_t> units;
    for (std::size_t i = 0; i < nodes; ++i) units[static_cast<int>(i)] = 8;
    for (std::size_t i = 0; i < threads; ++i) {
      tids.push_back(static_cast<std::int32_t>(100 + i));
      on.push_back(static_cast<int>(i * nodes / threads));
    }
    mapper = std::make_unique<ThreadMapper>(units);
  }
  using UserOf = std::function<std::size_t(std::size_t page, std::mt19937& random)>;
  /// Runs half a second of samples. If the mapper requests a binding, applies it and returns true.
  bool run(std::size_t samples, const UserOf& user_of) {
    for (std::size_t i = 0; i < samples; ++i) {
      const std::size_t page = random_() % kPages;
      const std::size_t user = user_of(page, random_);
      mapper->sampled(tids[user], page, on[user]);
    }
    const std::vector<int> nodes = mapper->decide(tids);
    if (!nodes.empty()) on = nodes;
    return !nodes.empty();
  }

  static constexpr std::size_t kPages = 256;
  std::vector<std::int32_t> tids;
  std::vector<int> on;  ///< node of each thread
  std::unique_ptr<ThreadMapper> mapper;

 private:
  std::mt19937 random_;
};

/// Page p is used by threads p mod groups, p mod groups + groups, p mod groups + 2 groups, …
Program::UserOf in_groups(std::size_t groups, std::size_t threads) {
  return [=](std::size_t page, std::mt19937& random) {
    return page % groups + groups * (random() % (threads / groups));
  };
}

Program::UserOf by_all(std::size_t threads) {
  return [=](std::size_t, std::mt19937& random) { return random() % threads; };
}

TEST(ThreadMapper, GroupsThatGoOnCommunicatingComeToOneNode) {
  for (const auto& [threads, nodes] : {std::pair{4U, 2U}, {8U, 2U}, {16U, 4U}, {64U, 8U}}) {
    Program program(threads, nodes, threads);
    int steps = 0;
    while (!program.run(4000, in_groups(nodes, threads)) && steps < 12) ++steps;
    EXPECT_GE(steps, 3);
    ASSERT_LT(steps, 12) << threads;
    std::set<int> used;
    for (std::size_t i = 0; i < threads; ++i) {
      EXPECT_EQ(program.on[i], program.on[i % nodes]) << threads;
      used.insert(program.on[i]);
    }
    EXPECT_EQ(used.size(), nodes);
    for (int i = 0; i < 30; ++i)
      EXPECT_FALSE(program.run(4000, in_groups(nodes, threads))) << "it is as good as can be";
  }
}

TEST(ThreadMapper, UnstructuredCommunicationMapsNobody) {
  for (const std::size_t threads : {3U, 4U, 8U, 32U})
    for (std::uint32_t seed = 0; seed < 4; ++seed) {
      Program program(threads, 2, seed);
      for (int i = 0; i < 200; ++i)  // some intervals have just above the minimum number of samples
        EXPECT_FALSE(program.run(threads * (i % 2 == 0 ? 20 : 40), by_all(threads))) << threads;
    }
}

TEST(ThreadMapper, OneThreadThatFeedsAllMapsNobody) {
  Program program(8, 2, 1);
  for (int i = 0; i < 100; ++i)
    EXPECT_FALSE(program.run(1000, [](std::size_t page, std::mt19937& random) {
      return random() % 2 == 0 ? 0 : page % 8;
    }));
}

TEST(ThreadMapper, PartnersThatChangeSettleTheMapper) {
  Program program(8, 2, 2);
  int mapped = 0;
  for (int i = 0; i < 120; ++i)  // partners change every two seconds
    mapped += program.run(
        2000, i / 4 % 2 == 0 ? in_groups(2, 8) : [](std::size_t page, std::mt19937& random) {
          return page % 2 * 4 + random() % 4;
        });
  EXPECT_LE(mapped, 2);
}

TEST(ThreadMapper, WhoIsWellPlacedIsLeftAlone) {
  Program program(8, 2, 3);
  program.on = {0, 1, 0, 1, 0, 1, 0, 1};
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(program.run(2000, in_groups(2, 8)));
}

TEST(ThreadMapper, GroupsStayWhereMostOfThemAre) {
  Program program(8, 2, 4);
  program.on = {1, 0, 1, 0, 1, 0, 0, 1};
  while (!program.run(2000, in_groups(2, 8))) {
  }
  EXPECT_EQ(program.on, (std::vector<int>{1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(ThreadMapper, NodesGetThreadsInProportionToTheirUnits) {
  Program program(8, 2, 8);
  program.mapper = std::make_unique<ThreadMapper>(std::map<int, std::size_t>{{0, 2}, {1, 6}});
  const auto by_parts = [](std::size_t page, std::mt19937& random) {  // threads 1 and 5, others
    if (page % 4 == 0) return random() % 2 == 0 ? std::size_t{1} : std::size_t{5};
    return std::array<std::size_t, 6>{0, 2, 3, 4, 6, 7}[random() % 6];
  };
  program.on = {0, 1, 1, 0, 1, 0, 0, 1};
  for (int i = 0; i < 20 && !program.run(4000, by_parts); ++i) {
  }
  EXPECT_EQ(program.on, (std::vector<int>{1, 0, 1, 1, 1, 0, 1, 1}));
}

TEST(ThreadMapper, RareHandoversAndThreadsThatComeAndGoMapNobody) {
  Program rare(4, 2, 5), changing(8, 2, 6);
  for (int i = 0; i < 200; ++i) {
    EXPECT_FALSE(rare.run(2, in_groups(2, 4)));
    if (i % 2 == 0) ++changing.tids.back();  // one thread ends, another starts
    EXPECT_FALSE(changing.run(2000, in_groups(2, 8)));
  }
}

TEST(ThreadMapper, PagesOfThreadsThatMayNotBeMappedCountForNobody) {
  ThreadMapper mapper(std::map<int, std::size_t>{{0, 8}, {1, 8}});
  std::mt19937 random(7);
  for (int i = 0; i < 50; ++i) {
    for (int sample = 0; sample < 1000; ++sample)
      mapper.sampled(100 + static_cast<std::int32_t>(random() % 4), random() % 64, 0);
    EXPECT_TRUE(mapper.decide({200, 201}).empty());
    EXPECT_TRUE(mapper.decide({}).empty());
  }
}

}  // namespace
}  // namespace Atoll::apply
