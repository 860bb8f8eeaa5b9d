// The data that tiles access, compared with sets of single coordinates; the memory of plans.
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "stencil/footprint.hpp"
#include "stencil/intervals.hpp"
#include "stencil/tilings.hpp"
#include "stencil_chains.hpp"

namespace Atoll::stencil {
namespace {

std::set<int> set_of(const Intervals& intervals) {
  std::set<int> all;
  int end = std::numeric_limits<int>::min();
  for (const Plan::Interval& interval : intervals) {
    EXPECT_LT(end, interval.lo) << "intervals touch or aren't ascending";
    EXPECT_LT(interval.lo, interval.hi);
    end = interval.hi;
    for (int at = interval.lo; at < interval.hi; ++at) all.insert(at);
  }
  return all;
}

TEST(StencilIntervals, AreSetsOfCoordinates) {
  std::mt19937 random(5);
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 500; ++round) {
    Intervals a, b;
    std::set<int> in_a, in_b;
    for (int i = draw(8); i-- > 0;) {
      const bool first = draw(2) == 0;
      const int lo = draw(40) - 10;
      const Plan::Interval interval{lo, lo + draw(7)};
      add(first ? a : b, interval);
      for (int at = interval.lo; at < interval.hi; ++at) (first ? in_a : in_b).insert(at);
    }
    std::set<int> both, rest, all = in_a;
    for (const int at : in_a) (in_b.contains(at) ? both : rest).insert(at);
    all.insert(in_b.begin(), in_b.end());
    EXPECT_EQ(set_of(a), in_a);
    EXPECT_EQ(set_of(common(a, b)), both);
    EXPECT_EQ(set_of(without(a, b)), rest);
    EXPECT_EQ(size_of(a), static_cast<std::int64_t>(in_a.size()));
    add(a, b);
    EXPECT_EQ(set_of(a), all);
    if (!all.empty()) {
      EXPECT_EQ(hull_of(a), (Plan::Interval{*all.begin(), *all.rbegin() + 1}));
    }
  }
}

/// Coordinates of the outermost dimension that a tile uses, one by one.
struct Uses {
  std::set<int> accessed, written;
};
std::vector<Uses> uses_one_by_one(const Chain& chain, const Plan::Segment& segment, int tile) {
  std::vector<Uses> uses(chain.fields.size());
  for (int l = segment.first; l < segment.end; ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    const auto d =
        static_cast<std::size_t>(chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions - 1);
    for (const Plan::Interval& part : Plan::of_tile(segment.cuts(l)[0], tile))
      for (int at = part.lo; at < part.hi; ++at)
        for (const ChainAccess& access : loop.accesses) {
          const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
          Uses& use = uses[static_cast<std::size_t>(access.field)];
          const auto insert = [&](std::set<int>& set, int point) {
            if (field.flat[d]) point = 0;
            if (point >= field.whole.lo[d] && point < field.whole.hi[d]) set.insert(point);
          };
          // A read_write access has one address for the points that it reads and writes, unless
          // half of the field lies between them.
          int low = access.stencil.lo()[d], high = access.stencil.hi()[d];
          const int begin = field.whole.lo[d], end = field.whole.hi[d];
          const auto clip = [&](int row) { return std::clamp(row, begin, end); };
          const int gap = std::max(clip(part.lo), clip(part.lo + low)) -
                          std::min(clip(part.hi), clip(part.hi + high));
          if (access.access == AccessMode::read_write && 2 * gap < end - begin &&
              clip(part.lo + low) < clip(part.hi + high))
            low = std::min(0, low), high = std::max(0, high);
          if (access.access != AccessMode::write)
            for (int offset = low; offset <= high; ++offset) insert(use.accessed, at + offset);
          if (access.access == AccessMode::read) continue;
          insert(use.accessed, at);
          insert(use.written, at);
        }
  }
  return uses;
}

TEST(StencilFootprint, HasThePointsThatTheTileAccessesAndNoOthers) {
  RandomChains chains(23);
  int several = 0;  // footprints of more than one interval
  for (int round = 0; round < 300; ++round) {
    const Chain chain = chains.next(12);
    const Plan plan = make_plan(
        chain,
        {.threads = 1, .tile = {{1 + chains.pick(7), 1 + chains.pick(7), 1 + chains.pick(4)}}});
    for (int s = 0; s < static_cast<int>(plan.segments.size()); ++s) {
      const Plan::Segment& segment = plan.segments[static_cast<std::size_t>(s)];
      const int tiles = segment.tiling->tiles[0];
      for (int tile = 0; tile < tiles; ++tile) {
        const auto at = [&](int number) {
          return number < 0 || number >= tiles ? std::vector<Uses>(chain.fields.size())
                                               : uses_one_by_one(chain, segment, number);
        };
        const std::vector<Uses> mine = at(tile), before = at(tile - 1), after = at(tile + 1);
        const std::vector<Footprint> prints = footprints(chain, plan, s, tile);
        const std::vector<TileUse> uses = uses_of_tile(chain, segment, tile);
        for (std::size_t f = 0; f < chain.fields.size(); ++f) {
          several += prints[f].full.size() > 1;
          EXPECT_EQ(set_of(prints[f].full), mine[f].accessed);
          EXPECT_EQ(set_of(uses[f].written), mine[f].written);
          const auto shared = [&](const Uses& other, bool with) {
            std::set<int> part;
            for (const int point : mine[f].accessed)
              if (other.accessed.contains(point) == with) part.insert(point);
            return part;
          };
          EXPECT_EQ(set_of(prints[f].left_edge), shared(before[f], true));
          EXPECT_EQ(set_of(prints[f].right_edge), shared(after[f], true));
          EXPECT_EQ(set_of(prints[f].left), shared(after[f], false));
          EXPECT_EQ(set_of(prints[f].right), shared(before[f], false));
        }
      }
    }
    if (HasFailure()) FAIL() << "round " << round << "\n" << to_string(chain, plan);
  }
  EXPECT_GT(several, 20);
}

TEST(StencilFootprint, AtTheEndsOfAPeriodicMeshHasTwoIntervals) {
  const Chain chain = steps_on_a_row(100, 3, true);
  const Plan plan = make_plan(chain, {.threads = 1, .tile = {{25}}});
  // Tile 3 runs the last step on [73,100) and [0,2), which reads one point more on each side.
  EXPECT_EQ(footprints(chain, plan, 0, 3)[0].full, (Intervals{{-1, 3}, {72, 101}}));
  // Tile 0 copies point 99 to point -1 before the first step.
  EXPECT_EQ(footprints(chain, plan, 0, 0)[0].full, (Intervals{{-1, 26}, {99, 100}}));
}

TEST(StencilFootprint, IsThatOfFigure2) {
  const Chain chain = steps_on_a_row(100, 2, false);
  const Plan plan = make_plan(chain, {.threads = 1, .tile = {{25}}});
  // Tile 1 runs step 0 on [25,50) and step 1 on [24,49). It reads points 24 to 50 of u.
  const Footprint u = footprints(chain, plan, 0, 1)[0];
  EXPECT_EQ(u.full, (Intervals{{24, 51}}));
  EXPECT_EQ(u.left_edge, (Intervals{{24, 26}}));
  EXPECT_EQ(u.right_edge, (Intervals{{49, 51}}));
  EXPECT_EQ(u.left, (Intervals{{24, 49}}));
  EXPECT_EQ(u.right, (Intervals{{26, 51}}));
  EXPECT_EQ(footprints(chain, plan, 0, 0)[0].left_edge, Intervals{});
}

TEST(StencilCut, StoresTilesThatDifferByADistanceOnce) {
  std::mt19937 random(7);
  const auto draw = [&](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int round = 0; round < 200; ++round) {
    Plan::Cut cut;
    std::vector<std::vector<Plan::Interval>> tiles;
    while (tiles.size() < 60) {
      std::vector<Plan::Interval> intervals;
      for (int i = draw(3), at = draw(20); i-- > 0; at += 10)
        intervals.push_back({at, at + 1 + draw(3)});
      const int step = draw(4);
      for (int repeated = 1 + draw(5); repeated-- > 0;) {
        tiles.push_back(intervals);
        for (Plan::Interval& interval : intervals) interval.lo += step, interval.hi += step;
      }
    }
    for (const auto& tile : tiles) cut.add(tile);
    ASSERT_EQ(cut.tiles(), static_cast<int>(tiles.size()));
    std::vector<double> before;
    cut.add_up(before);
    double sum = 0;
    for (std::size_t t = 0; t < tiles.size(); ++t) {
      EXPECT_EQ(Plan::of_tile(cut, static_cast<int>(t)), tiles[t]);
      EXPECT_EQ(before[t], sum);
      for (const Plan::Interval& interval : tiles[t]) sum += interval.hi - interval.lo;
    }
    EXPECT_EQ(before.back(), sum);
  }
}

TEST(StencilCut, LongMeshesNeedNoMoreMemoryThanShortOnes) {
  const auto bytes = [](int rows, int threads) {
    Chain chain;
    chain.meshes.push_back({"plate", 2, Range::of(0, 2000, 0, rows)});
    for (const char* name : {"u", "v"})
      chain.fields.push_back({name, 0, Range::of(-1, 2001, -1, rows + 1), {}, 8, false});
    for (int l = 0; l < 100; ++l)
      chain.loops.push_back(
          {"step",
           0,
           chain.meshes[0].interior,
           {{l % 2, AccessMode::read, star(1)}, {1 - l % 2, AccessMode::write, {}}},
           0});
    Tilings tilings;
    (void)make_plan(chain, {.threads = threads, .tile = {{480, 30}}}, tilings);
    return static_cast<double>(tilings.bytes());
  };
  for (const int threads : {1, 2, 4}) EXPECT_LE(bytes(20000, threads), 1.05 * bytes(2000, threads));
}

}  // namespace
}  // namespace Atoll::stencil
