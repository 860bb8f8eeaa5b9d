// Plans of chains: the tiling of each segment, its bands, and the time that it is expected to take.
#include "atoll/stencil/plan.hpp"

#include <algorithm>
#include <span>

#include "stencil/bands.hpp"
#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"
#include "stencil/groups.hpp"
#include "stencil/split.hpp"
#include "stencil/tilings.hpp"

namespace Atoll::stencil {

const Plan::Segment& Plan::segment_of(int loop) const {
  return *std::ranges::upper_bound(segments, loop, {}, &Segment::end);
}

int Plan::bands() const {
  int most = 1;
  for (const Segment& segment : segments) most = std::max(most, segment.tiling->bands);
  return most;
}

namespace {

/// Tiles all loops of a chain together.
Plan::Tiling tile_all(const Chain& chain, const TileSize& tile, int threads, const Grid& grid) {
  Plan::Tiling tiling;
  tiling.grid = grid;
  tiling.bands = grid[0] * grid[1] * grid[2];
  tiling.loops.resize(chain.loops.size());
  std::array<std::vector<Label>, kMaxDimensions> labels;
  for (std::size_t level = 0; level < kMaxDimensions; ++level) {
    labels[level] = cut_level(chain, static_cast<int>(level), grid[level], tile, tiling.loops);
    tiling.tiles[level] = static_cast<int>(labels[level].size());
  }
  tiling.groups = groups_of(labels, grid, threads);
  return tiling;
}

/// Points of a loop in one row (a plane in 3D) of the outermost dimension, and the number of that
/// dimension.
struct Rows {
  double points = 0;
  std::size_t dimension = 0;
};
Rows rows_of(const Chain& chain, const ChainLoop& loop) {
  const int outer = dimension_of(chain.meshes[static_cast<std::size_t>(loop.mesh)], 0);
  const auto d = static_cast<std::size_t>(outer);
  return {static_cast<double>(loop.range.points()) / (loop.range.hi[d] - loop.range.lo[d]), d};
}

/// Points on the critical path of a plan that runs loop after loop: the sum of each loop's largest
/// band.
double critical_untiled(const Chain& chain, int bands) {
  std::vector<std::vector<int>> ends;  // ends of each mesh's bands
  for (const ChainMesh& mesh : chain.meshes)
    ends.push_back(
        band_ends(mesh.interior.hi[static_cast<std::size_t>(dimension_of(mesh, 0))], bands));
  double critical = 0;
  for (const ChainLoop& loop : chain.loops) {
    if (loop.range.empty()) continue;
    const Rows rows = rows_of(chain, loop);
    const std::vector<int>& of_mesh = ends[static_cast<std::size_t>(loop.mesh)];
    int most = 0, begin = loop.range.lo[rows.dimension];
    for (std::size_t band = 0; band < of_mesh.size(); ++band) {
      // The last band includes the halo after it.
      const int end =
          band + 1 == of_mesh.size()
              ? loop.range.hi[rows.dimension]
              : std::clamp(of_mesh[band], begin, std::max(begin, loop.range.hi[rows.dimension]));
      most = std::max(most, end - begin);
      begin = std::max(begin, end);
    }
    critical += rows.points * most;
  }
  return critical;
}

/// Returns the number of points of each group.
std::vector<double> points_of(std::span<const ChainLoop> loops, const Plan::Tiling& tiling) {
  std::vector<double> points(tiling.groups.size());
  std::array<std::vector<double>, kMaxDimensions> before;
  for (std::size_t l = 0; l < loops.size(); ++l) {
    const ChainLoop& loop = loops[l];
    if (loop.range.empty()) continue;
    double whole = static_cast<double>(loop.range.points());  // points in the levels without bands
    for (std::size_t level = 0; level < kMaxDimensions; ++level)
      if (level == 0 || tiling.grid[level] > 1) {
        tiling.loops[l][level].add_up(before[level]);
        whole /= before[level].back();
      }
    for (std::size_t g = 0; g < points.size(); ++g) {
      const Plan::Group& group = tiling.groups[g];
      double product = whole;
      for (std::size_t level = 0; level < kMaxDimensions; ++level)
        if (!before[level].empty())
          product *= before[level][static_cast<std::size_t>(group.end[level])] -
                     before[level][static_cast<std::size_t>(group.first[level])];
      points[g] += product;
    }
  }
  return points;
}

/// Adds the shares of one segment.
void add_shares(PhaseShares& shares, std::span<const ChainLoop> loops, const Plan::Tiling& tiling,
                int threads) {
  const std::vector<double> points = points_of(loops, tiling);
  std::vector<double> done;                                     // end time of each group
  std::vector<double> free(static_cast<std::size_t>(threads));  // time from which each thread is
                                                                // free
  double last = 0;
  for (std::size_t g = 0; g < points.size(); ++g) {
    const Plan::Group& group = tiling.groups[g];
    double& thread = free[static_cast<std::size_t>(group.thread)];
    double begin = thread;
    for (const int before : group.after)
      begin = std::max(begin, done[static_cast<std::size_t>(before)]);
    (group.phase == 1                    ? shares.bands
     : group.phase == Plan::Group::kLeft ? shares.rest
                                         : shares.gaps) += points[g];
    done.push_back(thread = begin + points[g]);
    last = std::max(last, done.back());
  }
  shares.critical += last;
}

PhaseShares shares_of(const Chain& chain, const Plan::Tiling& tiling, int threads) {
  PhaseShares shares;
  add_shares(shares, chain.loops, tiling, threads);
  return shares;
}

/// Returns the tiling of a segment, whose loops are all of the chain; no loops in it if running one
/// loop after the other takes less time.
Plan::Tiling tiling_of(const Chain& chain, const PlanOptions& options) {
  const bool tiled = options.mode == Mode::tiled;
  const auto with = [&](const Grid& grid) {
    return tile_all(chain, tiled ? options.tile : TileSize{}, options.threads, grid);
  };
  if (options.grid != Grid{0, 0, 0}) return with(options.grid);
  const int most = most_bands(chain, 0, options.threads);
  if (!tiled) return with({most, 1, 1});
  // Thin bands gain little, because gaps and the remainder wait for all bands. Also tries halved
  // numbers of bands, grids of bands, and untiled loops, which access memory more often.
  Plan::Tiling best;
  double least = 0, points = 0;
  for (int bands = most; bands >= 1; bands /= 2) {
    // One band has no gaps.
    if (bands == 1 && most > 1 && critical_untiled(chain, 1) >= least) break;
    Plan::Tiling tiling = with({bands, 1, 1});
    if (options.threads == 1) return tiling;
    const PhaseShares shares = shares_of(chain, tiling, options.threads);
    points = shares.bands + shares.gaps + shares.rest;
    if (best.loops.empty() || shares.critical < least)
      best = std::move(tiling), least = shares.critical;
    // Good enough: no gap is as long as a band.
    if (shares.critical * most <= 1.25 * shares.bands + 1) break;
  }
  if (least * options.threads > 1.25 * points + 1)
    for (const Grid& grid : grids_for(chain, options.threads)) {
      constexpr double kMoreEdges = 1.1;
      Plan::Tiling tiling = with(grid);
      const double critical = shares_of(chain, tiling, options.threads).critical * kMoreEdges;
      if (critical < least) best = std::move(tiling), least = critical;
    }
  constexpr double kUntiledCost = 1.35;  // minimum relative cost of a point without tiles
  if (chain.loops.size() > 1 && critical_untiled(chain, most) * kUntiledCost < least) return {};
  return best;
}

}  // namespace

std::shared_ptr<const Plan::Tiling> Tilings::of(Chain segment, const PlanOptions& options) {
  const std::uint64_t hash = hash_of(segment, options);
  for (auto [at, end] = known_.equal_range(hash); at != end; ++at)
    if (at->second.options == options && at->second.segment == segment) return at->second.tiling;
  auto tiling = std::make_shared<const Plan::Tiling>(tiling_of(segment, options));
  return known_.emplace(hash, Known{std::move(segment), options, std::move(tiling)})->second.tiling;
}

Plan make_plan(const Chain& chain, const PlanOptions& options) {
  check_temporaries(chain);
  Tilings tilings;
  return make_plan(chain, options, tilings);
}

Plan make_plan(const Chain& chain, const PlanOptions& options, Tilings& tilings) {
  Plan plan;
  plan.tile = options.mode == Mode::tiled ? options.tile : TileSize{};
  plan.threads = options.threads;
  PlanOptions untiled = options;
  untiled.mode = Mode::untiled;
  for (Plan::Segment& segment : split(chain, options)) {
    segment.tiling = tilings.of(part_of(chain, segment.first, segment.end), options);
    if (!segment.tiling->loops.empty()) {
      plan.segments.push_back(std::move(segment));
      continue;
    }
    for (int l = segment.first; l < segment.end; ++l)
      plan.segments.push_back({l, l + 1, l + 1 < segment.end ? Plan::End::untiled : segment.why,
                               l + 1 < segment.end ? 0 : segment.live_bytes,
                               tilings.of(part_of(chain, l, l + 1), untiled)});
  }
  return plan;
}

PhaseShares phase_shares(const Chain& chain, const Plan& plan) {
  PhaseShares shares;
  const std::span loops(chain.loops);
  for (const Plan::Segment& segment : plan.segments)
    add_shares(shares,
               loops.subspan(static_cast<std::size_t>(segment.first),
                             static_cast<std::size_t>(segment.end - segment.first)),
               *segment.tiling, plan.threads);
  return shares;
}

}  // namespace Atoll::stencil
