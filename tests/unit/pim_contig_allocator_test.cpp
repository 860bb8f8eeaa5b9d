// The paper's allocator: its Figures 3 and 4, its Equation 1, and a comparison with the brute-force
// allocator.
#include "atoll/pim/contig_allocator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string_view>

#include "atoll/base/error.hpp"
#include "pim_brute_force.hpp"

namespace Atoll::pim {
namespace {

using testing::ElementsAre;

constexpr Geometry kFigure{8, 64, 8, 1};
constexpr std::array<std::string_view, 8> kFigure3 = {
    "11100011", "11101111", "11101111", "11100000", "11100000", "00000000", "00000000", "00000000",
};

ContigAllocator figure_3() {
  ContigAllocator allocator(kFigure);
  std::vector<Rectangle> units;
  for (std::uint64_t i = 0; i < kFigure.units(); ++i)
    units.push_back(allocator.allocate(Request::raw(1, 1)).value());
  for (const Rectangle& unit : units)
    if (kFigure3[unit.first.row][unit.first.subarray] == '0') allocator.free(unit);
  return allocator;
}

TEST(ContigAllocator, Figure3) {
  const ContigAllocator allocator = figure_3();
  EXPECT_THAT(allocator.subarray_contig(0), ElementsAre(3, 1, 1, 5, 5, 8, 8, 8));
  EXPECT_THAT(allocator.row_contig(0), ElementsAre(3, 3, 3, 8, 5, 5, 5, 5));
}

TEST(ContigAllocator, Figure4) {
  ContigAllocator allocator = figure_3();
  // "two rows across four contiguous subarrays" in the paper: a region of 4 x 2 units.
  const auto where = allocator.allocate(Request::raw(4, 2));
  ASSERT_TRUE(where);
  EXPECT_EQ(*where, (Rectangle{0, {3, 3}, {4, 2}}));
  EXPECT_THAT(allocator.subarray_contig(0), ElementsAre(3, 1, 1, 1, 1, 8, 8, 8));
  EXPECT_THAT(allocator.row_contig(0), ElementsAre(3, 3, 3, 3, 3, 3, 3, 5));
  const auto steps = allocator.last_search();
  EXPECT_EQ(steps.vector_elements, 5U + 7U);  // 5 rows (0-4), 7 subarrays (0-6)
  EXPECT_EQ(steps.matrix_bits, 3U + 8U);      // the first used row in subarrays 0-2, then the block
  EXPECT_LE(steps.vector_elements + steps.matrix_bits, 4 * 2 + (8 + 8)) << "Equation 1";
}

TEST(ContigAllocator, FindsWhatBruteForceFindsWithinEquation1) {
  for (const Geometry& g :
       {Geometry{16, 64, 8, 2}, Geometry{40, 64, 5, 1}, Geometry{9, 64, 17, 3}}) {
    std::mt19937 random(g.rows);
    const auto up_to = [&](std::uint32_t most) {
      return static_cast<std::uint32_t>(1 + random() % most);
    };
    ContigAllocator allocator(g);
    BruteForce model(g);
    std::vector<Rectangle> blocks;
    double most_of_bound = 0;
    for (int step = 0; step < 3000; ++step) {
      if (!blocks.empty() && random() % 5 < 2) {
        const std::size_t i = random() % blocks.size();
        model.set(blocks[i], 0);
        allocator.free(blocks[i]);
        EXPECT_THROW(allocator.free(blocks[i]), Error);
        blocks[i] = blocks.back();
        blocks.pop_back();
        continue;
      }
      const Extent e{up_to(random() % 4 == 0 ? g.subarrays : 2),
                     up_to(random() % 4 == 0 ? g.rows : 3)};
      std::optional<Rectangle> should;
      std::uint64_t bound = 0;
      for (std::uint32_t b = 0; b < g.banks && !should; ++b) {
        const auto place = model.fit(b, e);
        bound += model.equation_1(b, e, place);
        if (place) should = Rectangle{b, *place, e};
      }
      const auto where = allocator.allocate(Request::raw(e.subarrays, e.rows));
      ASSERT_EQ(where, should) << "step " << step;
      const auto steps = allocator.last_search();
      EXPECT_LE(steps.vector_elements + steps.matrix_bits, bound) << "step " << step;
      most_of_bound =
          std::max(most_of_bound, static_cast<double>(steps.vector_elements + steps.matrix_bits) /
                                      static_cast<double>(bound));
      if (where) {
        model.set(*where, 1);
        blocks.push_back(*where);
      }
    }
    EXPECT_GT(most_of_bound, 0.9) << "else the bound says little";
  }
}

TEST(ContigAllocator, FillsADevice) {
  const Geometry g{32, 512, 4, 2};
  ContigAllocator allocator(g);
  int blocks = 0;
  while (allocator.allocate(Request::horizontal(1024))) ++blocks;  // 16 units each
  EXPECT_EQ(blocks, 16);
  EXPECT_FALSE(allocator.allocate(Request::raw(1, 1)));
}

}  // namespace
}  // namespace Atoll::pim
