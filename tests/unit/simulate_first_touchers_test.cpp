// Ranges of pages with the thread that touched them first, compared with one entry per page.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "simulate/first_touchers.hpp"

namespace Atoll::simulate {
namespace {

using Pages = std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t>;
constexpr std::uint32_t kNone = FirstTouchers::kNone;

Pages pages_of(const FirstTouchers& touchers) {
  Pages pages;
  touchers.for_each(
      [&](std::uint64_t process, std::uint64_t begin, std::uint64_t end, std::uint32_t thread) {
        for (std::uint64_t page = begin; page < end; ++page)
          EXPECT_TRUE(pages.emplace(std::pair(process, page), thread).second);
      });
  return pages;
}

std::size_t ranges_of(const FirstTouchers& touchers) {
  std::size_t count = 0;
  touchers.for_each([&](auto...) { ++count; });
  return count;
}

TEST(SimulateFirstTouchers, NeighboursAreOneRange) {
  FirstTouchers touchers;
  for (const std::uint64_t page : {4, 6, 5, 3}) touchers.set(0, page, page + 1, 7);
  EXPECT_EQ(ranges_of(touchers), 1U);
  touchers.set(0, 7, 8, 8);
  touchers.set(1, 7, 8, 7);  // page 7 of another process
  EXPECT_EQ(ranges_of(touchers), 3U);
  touchers.set(0, 4, 6, kNone);
  EXPECT_EQ(pages_of(touchers), (Pages{{{0, 3}, 7}, {{0, 6}, 7}, {{0, 7}, 8}, {{1, 7}, 7}}));
}

TEST(SimulateFirstTouchers, ManyCalls) {
  std::mt19937 random(1);
  const auto below = [&](std::uint64_t end) { return random() % end; };
  FirstTouchers touchers;
  Pages pages;
  for (int call = 0; call < 20'000; ++call) {
    const std::uint64_t process = below(2), begin = below(60), end = begin + below(6);
    if (below(4) == 0) {
      const std::uint64_t to = 100 * below(2) + below(30);
      if (to < end && begin < to + (end - begin)) continue;  // mremap() refuses overlapping ranges
      std::vector<std::pair<std::uint64_t, std::uint32_t>> moved;
      for (std::uint64_t page = begin; page < end; ++page) {
        if (const auto found = pages.find({process, page}); found != pages.end())
          moved.emplace_back(page - begin + to, found->second);
        pages.erase({process, page});
        pages.erase({process, page - begin + to});
      }
      for (const auto& [page, thread] : moved) pages[{process, page}] = thread;
      touchers.remap(process, begin, end, to);
    } else {
      const std::uint32_t thread = below(4) == 0 ? kNone : static_cast<std::uint32_t>(below(3));
      for (std::uint64_t page = begin; page < end; ++page) {
        pages.erase({process, page});
        if (thread != kNone) pages[{process, page}] = thread;
      }
      touchers.set(process, begin, end, thread);
    }
    ASSERT_EQ(pages_of(touchers), pages) << "call " << call;
  }
}

}  // namespace
}  // namespace Atoll::simulate
