// Plans, compared with brute force. Each point of each loop runs once, and after all points that it
// depends on, in every order that the plan permits.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "atoll/base/error.hpp"
#include "stencil/groups.hpp"
#include "stencil/steps.hpp"
#include "stencil_chains.hpp"

namespace Atoll::stencil {
namespace {

/// Position of the tile that runs a point of a loop.
struct Tile {
  int segment = -1, group = -1;
  std::array<int, 3> at{};
};

class BruteForce {
 public:
  BruteForce(const Chain& chain, const Plan& plan) : chain_(chain), plan_(plan) {
    for (const Plan::Segment& segment : plan.segments) {
      auto& before = before_.emplace_back(segment.tiling->groups.size());
      for (std::size_t g = 0; g < segment.tiling->groups.size(); ++g)
        for (const int other : segment.tiling->groups[g].after) {
          EXPECT_LT(other, static_cast<int>(g));  // otherwise threads could deadlock
          before[g].insert(other);
          const auto& theirs = before[static_cast<std::size_t>(other)];
          before[g].insert(theirs.begin(), theirs.end());
        }
    }
  }

  /// Checks all loops. Returns the number of dependent pairs of accesses.
  long check() {
    long pairs = 0;
    for (int l = 0; l < static_cast<int>(chain_.loops.size()); ++l) pairs += check_loop(l);
    return pairs;
  }

 private:
  struct Use {
    int loop;
    bool writes;
    Tile tile;
  };

  /// Returns true if `a`, a tile of an earlier loop, is always done when `b` runs.
  [[nodiscard]] bool in_order(const Tile& a, const Tile& b) const {
    if (a.segment != b.segment) return a.segment < b.segment;
    if (a.group == b.group) return a.at <= b.at;
    return before_[static_cast<std::size_t>(b.segment)][static_cast<std::size_t>(b.group)].contains(
        a.group);
  }

  long check_loop(int l) {
    const ChainLoop& loop = chain_.loops[static_cast<std::size_t>(l)];
    const ChainMesh& mesh = chain_.meshes[static_cast<std::size_t>(loop.mesh)];
    std::map<std::array<int, 3>, Tile> tiles = tiles_of(l, mesh);
    EXPECT_EQ(static_cast<std::int64_t>(tiles.size()), loop.range.points()) << loop.name;
    long pairs = 0;
    std::vector<std::pair<std::pair<int, std::array<int, 3>>, Use>> made;
    for (const auto& [point, tile] : tiles) {
      EXPECT_TRUE(loop.range.has(point[0], point[1], point[2])) << loop.name;
      for (const ChainAccess& access : loop.accesses) {
        const ChainField& field = chain_.fields[static_cast<std::size_t>(access.field)];
        const bool reads = access.access != AccessMode::write;
        if (reads) {
          for (int dx = access.stencil.lo()[0]; dx <= access.stencil.hi()[0]; ++dx)
            for (int dy = access.stencil.lo()[1]; dy <= access.stencil.hi()[1]; ++dy)
              for (int dz = access.stencil.lo()[2]; dz <= access.stencil.hi()[2]; ++dz)
                if (access.stencil.has({dx, dy, dz}))
                  pairs += use(field, access.field, point, {dx, dy, dz}, {l, false, tile}, made);
        }
        if (access.access != AccessMode::read)
          pairs += use(field, access.field, point, {}, {l, true, tile}, made);
      }
    }
    for (auto& [where, use] : made) uses_[where].push_back(use);
    return pairs;
  }

  /// Returns each point's tile, from the loop's cuts. Fails if a point is in two tiles.
  std::map<std::array<int, 3>, Tile> tiles_of(int l, const ChainMesh& mesh) {
    std::map<std::array<int, 3>, Tile> tiles;
    int segment = 0;
    while (l >= plan_.segments[static_cast<std::size_t>(segment)].end) ++segment;
    const Plan::Segment& found = plan_.segments[static_cast<std::size_t>(segment)];
    const Plan::Cuts& cuts = found.cuts(l);
    const Plan::Tiling& of = *found.tiling;
    for (int a = 0; a < of.tiles[0]; ++a)
      for (int b = 0; b < of.tiles[1]; ++b)
        for (int c = 0; c < of.tiles[2]; ++c) {
          int group = -1;
          for (std::size_t g = 0; g < of.groups.size(); ++g)
            if (of.groups[g].has(0, a) && of.groups[g].has(1, b) && of.groups[g].has(2, c)) {
              EXPECT_EQ(group, -1) << "a tile is in two groups";
              group = static_cast<int>(g);
            }
          EXPECT_GE(group, 0) << "a tile is in no group";
          for (const Plan::Interval& i : Plan::of_tile(cuts[0], a))
            for (const Plan::Interval& j : Plan::of_tile(cuts[1], b))
              for (const Plan::Interval& k : Plan::of_tile(cuts[2], c))
                for (int p = i.lo; p < i.hi; ++p)
                  for (int q = j.lo; q < j.hi; ++q)
                    for (int r = k.lo; r < k.hi; ++r) {
                      std::array<int, 3> point{0, 0, 0};
                      const std::array<int, 3> by_level{p, q, r};
                      for (int level = 0; level < mesh.dimensions; ++level)
                        point[static_cast<std::size_t>(mesh.dimensions - 1 - level)] =
                            by_level[static_cast<std::size_t>(level)];
                      EXPECT_TRUE(tiles.emplace(point, Tile{segment, group, {a, b, c}}).second)
                          << "a point is in two tiles";
                    }
        }
    return tiles;
  }

  long use(const ChainField& field, int number, std::array<int, 3> point, Offset offset,
           const Use& mine, std::vector<std::pair<std::pair<int, std::array<int, 3>>, Use>>& made) {
    point = {point[0] + offset.x, point[1] + offset.y, point[2] + offset.z};
    for (std::size_t d = 0; d < 3; ++d)
      if (field.flat[d]) point[d] = 0;
    if (!field.whole.has(point[0], point[1], point[2])) return 0;  // the point is beyond the field
    long pairs = 0;
    for (const Use& other : uses_[{number, point}]) {
      if (!other.writes && !mine.writes) continue;
      ++pairs;
      EXPECT_TRUE(in_order(other.tile, mine.tile))
          << field.name << " at " << point[0] << "," << point[1] << "," << point[2] << ": loop "
          << other.loop << " before loop " << mine.loop;
    }
    made.push_back({{number, point}, mine});
    return pairs;
  }

  const Chain& chain_;
  const Plan& plan_;
  std::vector<std::vector<std::set<int>>> before_;
  std::map<std::pair<int, std::array<int, 3>>, std::vector<Use>> uses_;
};

TEST(StencilPlan, RandomChainsRunEachPointOnceAndBreakNoDependence) {
  RandomChains chains(17);
  long pairs = 0, gaps = 0, several = 0, crossings = 0, left = 0;
  for (int round = 0; round < 300; ++round) {
    const Chain chain = chains.next(round % 10 == 0 ? 40 : 12);
    PlanOptions options;
    options.threads = 1 + chains.pick(5);
    if (round % 2 == 1) {  // bands in all dimensions
      for (std::size_t level = 0; level < options.grid.size(); ++level)
        options.grid[level] = 1 + chains.pick(most_bands(chain, level, 4));
      options.threads = options.grid[0] * options.grid[1] * options.grid[2] + chains.pick(3);
    }
    if (chains.pick(8) == 0) options.mode = Mode::untiled;
    for (int& points : options.tile.points) points = chains.pick(3) == 0 ? 0 : 1 + chains.pick(7);
    const Plan plan = make_plan(chain, options);
    pairs += BruteForce(chain, plan).check();
    for (const Plan::Segment& segment : plan.segments) {
      several += segment.end - segment.first > 1;
      for (const Plan::Group& group : segment.tiling->groups) {
        gaps += group.phase == 2;
        crossings += group.phase > 2 && group.phase < Plan::Group::kLeft;
        left += group.phase == Plan::Group::kLeft;
        EXPECT_TRUE(group.thread >= 0 && group.thread < options.threads);
      }
    }
    const PhaseShares shares = phase_shares(chain, plan);
    double points = 0;
    for (const ChainLoop& loop : chain.loops) points += static_cast<double>(loop.range.points());
    EXPECT_NEAR(shares.bands + shares.gaps + shares.rest, points, 1e-6 * points);
    EXPECT_LE(shares.critical, points * (1 + 1e-6));
    EXPECT_GE(shares.critical * options.threads, points * (1 - 1e-6));
    if (HasFailure()) FAIL() << "round " << round << "\n" << to_string(chain, plan);
  }
  EXPECT_GT(pairs, 100'000);  // the number of tested dependences
  EXPECT_GT(gaps, 50);
  EXPECT_GT(crossings, 50);
  EXPECT_GT(left, 50);
  EXPECT_GT(several, 50);
}

TEST(StencilPlan, BoundsMoveByTheSkew) {
  const Chain chain = steps_on_a_row(100, 5, false);
  const Plan plan = make_plan(chain, {.threads = 1, .tile = {{50}}});
  ASSERT_EQ(plan.segments.size(), 1U);
  ASSERT_EQ(plan.segments[0].tiling->tiles[0], 2);
  for (int l = 0; l < 5; ++l)  // each step's bound is one point lower, because the next step reads
                               // one point to the right
    EXPECT_EQ(Plan::of_tile(plan.segment_of(l).cuts(l)[0], 0),
              (std::vector<Plan::Interval>{{0, 50 - l}}));
  EXPECT_EQ(skew_of(chain)[0], 4);
}

TEST(StencilPlan, TheSkewIsHowFarBoundsMoveInAnyChain) {
  constexpr int kPoints = 400;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    const auto draw = [&](int low, int high) {
      return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    Chain chain;
    chain.meshes = {{"row", 1, Range::of(0, kPoints)}};
    for (int f = 0; f < 4; ++f)
      chain.fields.push_back(
          {"f" + std::to_string(f), 0, Range::of(-4, kPoints + 4), {}, 8, false});
    for (int l = draw(2, 12); l-- > 0;) {
      ChainLoop loop{"loop", 0, Range::of(0, kPoints), {}, 0};
      for (int f = 0; f < 4; ++f) {
        const int low = draw(-3, 3), high = draw(low, 3);
        const int use = draw(0, 5);
        if (use < 2) loop.accesses.push_back({f, AccessMode::read, line(0, low, high)});
        if (use == 2) loop.accesses.push_back({f, AccessMode::write, {}});
        if (use == 3) loop.accesses.push_back({f, AccessMode::increment, {}});
        if (use == 4) loop.accesses.push_back({f, AccessMode::read_write, {}});
      }
      chain.loops.push_back(std::move(loop));
    }
    const Plan plan = make_plan(chain, {.threads = 1, .tile = {{kPoints / 2}}});
    int moved = 0;
    for (std::size_t l = 0; l < chain.loops.size(); ++l)
      moved = std::max(
          moved,
          kPoints / 2 - Plan::of_tile(plan.segments[0].cuts(static_cast<int>(l))[0], 0).back().hi);
    EXPECT_EQ(skew_of(chain)[0], moved) << "seed " << seed;
  }
}

TEST(StencilPlan, PeriodicRowsAreTiledTooAndTheFirstTileShrinksOnBothSides) {
  const Chain chain = steps_on_a_row(100, 3, true);
  const Plan plan = make_plan(chain, {.threads = 1, .tile = {{25}}});
  ASSERT_EQ(plan.segments[0].tiling->tiles[0], 4);
  const auto& last_step = plan.segments[0].cuts(8)[0];
  EXPECT_EQ(Plan::of_tile(last_step, 0), (std::vector<Plan::Interval>{{2, 23}}));
  EXPECT_EQ(Plan::of_tile(last_step, 1), (std::vector<Plan::Interval>{{23, 48}}));
  EXPECT_EQ(Plan::of_tile(last_step, 3), (std::vector<Plan::Interval>{{0, 2}, {73, 100}}));
}

TEST(StencilPlan, BandsRunAtOnceAndGapsAfterBoth) {
  const Chain chain = steps_on_a_row(1000, 5, false);
  const Plan plan = make_plan(chain, {.threads = 4, .tile = {{50}}});
  EXPECT_EQ(plan.bands(), 4);
  int gaps = 0;
  for (const Plan::Group& group : plan.segments[0].tiling->groups) {
    EXPECT_EQ(group.after.size(), group.phase == 1 ? 0U : 2U);
    gaps += group.phase == 2;
  }
  EXPECT_EQ(gaps, 3);
  const PhaseShares shares = phase_shares(chain, plan);
  EXPECT_EQ(shares.rest, 0);
  EXPECT_EQ(shares.gaps, 3 * (0 + 2 + 4 + 6 + 8));  // each step widens a gap by two points
  EXPECT_EQ(shares.bands + shares.gaps, 5000);
  // If periodic, there is also a gap between the last band and the first one.
  const Plan ring = make_plan(steps_on_a_row(1000, 5, true), {.threads = 4, .tile = {{50}}});
  int ring_gaps = 0;
  for (const Plan::Group& group : ring.segments[0].tiling->groups) {
    ring_gaps += group.phase == 2;
    EXPECT_LT(group.phase, Plan::Group::kLeft);
  }
  EXPECT_EQ(ring_gaps, 4);
}

TEST(StencilPlan, ThinBandsBecomeFewerOnes) {
  const Chain chain = steps_on_a_row(64, 20, false);
  const Plan plan = make_plan(chain, {.threads = 32, .tile = {{4}}});
  EXPECT_LT(phase_shares(chain, plan).critical, 64 * 20);
  BruteForce(chain, plan).check();
}

/// Returns repeated heat steps on a periodic square or cube.
Chain steps_on_a_torus(int dimensions, int points, int steps) {
  Chain chain;
  chain.meshes.push_back({"torus", dimensions, {}});
  Range whole;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dimensions); ++d) {
    chain.meshes[0].interior.hi[d] = points;
    whole.lo[d] = -1;
    whole.hi[d] = points + 1;
  }
  for (const char* name : {"u", "v"}) chain.fields.push_back({name, 0, whole, {}, 8, false});
  for (int s = 0; s < steps; ++s) {
    const int from = s % 2, to = 1 - from;
    for (int d = 0; d < dimensions; ++d)
      for (const auto& [at, move] : {std::pair{-1, points}, std::pair{points, -points}}) {
        Range range = whole;
        range.lo[static_cast<std::size_t>(d)] = at;
        range.hi[static_cast<std::size_t>(d)] = at + 1;
        const Offset offset{d == 0 ? move : 0, d == 1 ? move : 0, d == 2 ? move : 0};
        chain.loops.push_back(
            {"periodic", 0, range, {{from, AccessMode::read_write, Stencil({offset})}}, 0});
      }
    chain.loops.push_back(
        {"step",
         0,
         chain.meshes[0].interior,
         {{from, AccessMode::read, star(1, dimensions)}, {to, AccessMode::write, {}}},
         0});
  }
  return chain;
}

TEST(StencilPlan, ManyThreadsOnFewPlanesAreAGrid) {
  // Sixteen bands of three planes each would be thinner than the gaps between them.
  const Chain cube = steps_on_a_torus(3, 48, 5);
  const Plan plan = make_plan(cube, {.threads = 16, .tile = {{0, 4, 4}}});
  EXPECT_EQ(plan.segments[0].tiling->grid, (Grid{4, 4, 1}));
  EXPECT_EQ(plan.bands(), 16);
  const PhaseShares shares = phase_shares(cube, plan);
  EXPECT_EQ(shares.rest, 0);
  EXPECT_LT(shares.critical, 1.4 * (shares.bands + shares.gaps) / 16);
  const Plan planes = make_plan(cube, {.threads = 16, .tile = {{0, 4, 4}}, .grid = {4, 1, 1}});
  EXPECT_LT(shares.critical, 0.5 * phase_shares(cube, planes).critical);
  // Two threads need no grid, and many small bands give no gain.
  EXPECT_EQ(make_plan(cube, {.threads = 2, .tile = {{0, 4, 4}}}).segments[0].tiling->grid,
            (Grid{2, 1, 1}));
  EXPECT_EQ(make_plan(cube, {.threads = 300, .tile = {{0, 4, 4}}}).segments[0].tiling->grid[1], 1);
  const std::string text = to_string(cube, plan);
  EXPECT_NE(text.find("in 4 x 4 x 1 bands"), std::string::npos) << text;
  EXPECT_NE(text.find("crossing of gaps of thread 5"), std::string::npos) << text;
}

TEST(StencilPlan, BandsInThreeDimensions) {
  const Chain cube = steps_on_a_torus(3, 12, 3);
  for (const Grid& grid : {Grid{1, 2, 1}, Grid{2, 2, 2}, Grid{3, 1, 2}, Grid{2, 4, 1}}) {
    const Plan plan = make_plan(
        cube, {.threads = grid[0] * grid[1] * grid[2], .tile = {{5, 2, 3}}, .grid = grid});
    EXPECT_EQ(plan.segments[0].tiling->grid, grid);
    BruteForce(cube, plan).check();
    EXPECT_FALSE(HasFailure()) << to_string(cube, plan);
  }
}

TEST(StencilPlan, UsesOfFieldsAreTold) {
  Chain chain = steps_on_a_row(100, 2, false);
  chain.fields.push_back({"w", 0, Range::of(-1, 101), {}, 8, false});
  chain.loops.push_back({"read",
                         0,
                         Range::of(10, 20),
                         {{2, AccessMode::read, {}}, {0, AccessMode::increment, {}}},
                         0});
  const auto uses = field_uses(chain);
  EXPECT_FALSE(uses[0].written_first);
  EXPECT_FALSE(uses[1].written_first);  // step 1 reads the halo, which no loop wrote
  EXPECT_TRUE(uses[2].read_only);
  EXPECT_EQ(uses[0].halo_lo[0], 1);
  EXPECT_EQ(uses[2].halo_hi[0], 0);
  EXPECT_EQ(uses[2].first_loop, 2);
  EXPECT_EQ(uses[0].last_loop, 2);
}

TEST(StencilPlan, PlansPrintAndDrawThemselves) {
  Chain chain = steps_on_a_row(1000, 5, false);
  chain.loops[2].name = "a < b";
  const Plan plan = make_plan(chain, {.threads = 2, .tile = {{100}}});
  const std::string text = to_string(chain, plan);
  for (const char* part :
       {"5 loops on 2 fields", "skew 4 in x", "2 threads in 2 bands", "gap of thread 0",
        "the first tile has [0,96)", "field v: read and written"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  const std::string svg = to_svg(chain, plan, 0);
  EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt; b: tile 0 [0,98)"), std::string::npos);
  std::size_t drawn = 0, parts = 0;
  for (std::size_t at = 0; (at = svg.find("<title>", at)) != std::string::npos; ++at) ++drawn;
  const Plan::Tiling& tiling = *plan.segments[0].tiling;
  for (const Plan::Cuts& cuts : tiling.loops)
    for (int tile = 0; tile < tiling.tiles[0]; ++tile) parts += Plan::of_tile(cuts[0], tile).size();
  EXPECT_EQ(drawn, parts);
  EXPECT_THROW((void)to_svg(chain, plan, 7), Error);
}

TEST(StencilPlan, ATemporaryThatIsReadFirstIsRefused) {
  Chain chain = steps_on_a_row(100, 2, false);
  chain.fields[1].temporary = true;  // v is written on [0,100) and read on [-1,101)
  try {
    (void)make_plan(chain, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::input);
    EXPECT_NE(std::string(error.what()).find("temporary field 'v'"), std::string::npos);
  }
  chain.loops[1].range = Range::of(1, 99);
  EXPECT_NO_THROW((void)make_plan(chain, {}));
}

TEST(StencilPlan, WhatDependsOnTwoBandsIsInTheGapThatIsNearest) {
  const Zones zones = make_zones(20, 2, 0);
  Steps band(zones, 0, 20, true), above(zones, 0, 20, false);
  const Label upper = band.pieces().back().label;
  above.join(zones, 0, 20, upper);
  band.join(zones, 0, 20, above, 0);
  std::vector<std::pair<int, int>> groups;  // end and group of each piece
  for (const Steps::Piece& piece : band.pieces())
    groups.push_back({piece.end, group_of(piece.label)});
  // Gap 1 is between the last band and the first one.
  EXPECT_EQ(groups, (std::vector<std::pair<int, int>>{{5, 2 + 1}, {10, 2 + 0}, {20, 1}}));
}

}  // namespace
}  // namespace Atoll::stencil
