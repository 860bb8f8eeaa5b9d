// Plans of chains: segments, bands, levels.
#include "atoll/stencil/plan.hpp"

#include <algorithm>

#include "stencil/bands.hpp"
#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"
#include "stencil/groups.hpp"

namespace Atoll::stencil {
namespace {

/// True if the loop writes a field of extent 1. Its dependences would put all coordinates in one
/// tile, so it gets its own segment. Such loops set up coordinates, and run once.
bool runs_alone(const Chain& chain, const ChainLoop& loop) {
  const int dimensions = chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions;
  return std::ranges::any_of(loop.accesses, [&](const ChainAccess& access) {
    const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
    return access.access != AccessMode::read &&
           std::any_of(field.flat.begin(), field.flat.begin() + dimensions,
                       [](bool flat) { return flat; });
  });
}

std::vector<Plan::Segment> divide(const Chain& chain, bool tiled) {
  std::vector<Plan::Segment> segments;
  bool alone = true;
  for (int l = 0; l < static_cast<int>(chain.loops.size()); ++l) {
    const bool now_alone = !tiled || runs_alone(chain, chain.loops[static_cast<std::size_t>(l)]);
    if (alone || now_alone) segments.push_back({l, l, {1, 1, 1}, {}});
    segments.back().end = l + 1;
    alone = now_alone;
  }
  return segments;
}

Plan plan_with(const Chain& chain, const PlanOptions& options, bool tiled, const Grid& grid) {
  Plan plan;
  plan.tile = tiled ? options.tile : TileSize{};
  plan.threads = options.threads;
  plan.grid = grid;
  plan.bands = grid[0] * grid[1] * grid[2];
  plan.segments = divide(chain, tiled);
  plan.loops.resize(chain.loops.size());
  for (Plan::Segment& segment : plan.segments) {
    std::array<std::vector<Label>, kMaxDimensions> labels;
    for (std::size_t level = 0; level < kMaxDimensions; ++level) {
      labels[level] =
          cut_level(chain, segment.first, segment.end, static_cast<int>(level), grid[level], plan);
      segment.tiles[level] = static_cast<int>(labels[level].size());
    }
    segment.groups = groups_of(labels, grid, options.threads);
  }
  return plan;
}

}  // namespace

const Plan::Segment& Plan::segment_of(int loop) const {
  return *std::ranges::find_if(segments, [loop](const Segment& s) { return loop < s.end; });
}

std::vector<Plan::Interval> Plan::of_tile(const Cut& cut, int tile) {
  const auto t = static_cast<std::size_t>(tile);
  return {cut.intervals.begin() + cut.first[t], cut.intervals.begin() + cut.first[t + 1]};
}

namespace {

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

}  // namespace

Plan make_plan(const Chain& chain, const PlanOptions& options) {
  check_temporaries(chain);
  const bool tiled = options.mode == Mode::tiled;
  if (options.grid != Grid{0, 0, 0}) return plan_with(chain, options, tiled, options.grid);
  const int most = most_bands(chain, 0, options.threads);
  if (!tiled) return plan_with(chain, options, false, {most, 1, 1});
  // Thin bands gain little, because gaps and the remainder wait for all bands. Also tries halved
  // numbers of bands, grids of bands, and untiled loops, which access memory more often.
  Plan best;
  double least = 0, points = 0;
  for (int bands = most; bands >= 1; bands /= 2) {
    // One band has no gaps.
    if (bands == 1 && most > 1 && critical_untiled(chain, 1) >= least) break;
    Plan plan = plan_with(chain, options, true, {bands, 1, 1});
    if (options.threads == 1) return plan;
    const PhaseShares shares = phase_shares(chain, plan);
    points = shares.bands + shares.gaps + shares.rest;
    if (best.loops.empty() || shares.critical < least)
      best = std::move(plan), least = shares.critical;
    // Good enough: no gap is as long as a band.
    if (shares.critical * most <= 1.25 * shares.bands + 1) break;
  }
  if (least * options.threads > 1.25 * points + 1)
    for (const Grid& grid : grids_for(chain, options.threads)) {
      constexpr double kMoreEdges = 1.1;
      Plan plan = plan_with(chain, options, true, grid);
      const double critical = phase_shares(chain, plan).critical * kMoreEdges;
      if (critical < least) best = std::move(plan), least = critical;
    }
  constexpr double kUntiledCost = 1.35;  // minimum relative cost of a point without tiles
  if (critical_untiled(chain, most) * kUntiledCost >= least) return best;
  Plan untiled = plan_with(chain, options, false, {most, 1, 1});
  untiled.tile = options.tile;
  return untiled;
}

namespace {

/// Prefix sums: coordinates of a loop before each tile of a level, and in total.
void add_up(const Plan::Cut& cut, std::vector<double>& sums) {
  sums.assign(1, 0);
  for (std::size_t tile = 0; tile + 1 < cut.first.size(); ++tile) {
    double sum = sums.back();
    for (std::uint32_t i = cut.first[tile]; i < cut.first[tile + 1]; ++i)
      sum += cut.intervals[i].hi - cut.intervals[i].lo;
    sums.push_back(sum);
  }
}

/// Returns the number of points of each group.
std::vector<double> points_of(const Chain& chain, const Plan& plan, const Plan::Segment& segment) {
  std::vector<double> points(segment.groups.size());
  std::array<std::vector<double>, kMaxDimensions> before;
  for (int l = segment.first; l < segment.end; ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    if (loop.range.empty()) continue;
    double whole = static_cast<double>(loop.range.points());  // points in the levels without bands
    for (std::size_t level = 0; level < kMaxDimensions; ++level)
      if (level == 0 || plan.grid[level] > 1) {
        add_up(plan.loops[static_cast<std::size_t>(l)][level], before[level]);
        whole /= before[level].back();
      }
    for (std::size_t g = 0; g < points.size(); ++g) {
      const Plan::Group& group = segment.groups[g];
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

}  // namespace

PhaseShares phase_shares(const Chain& chain, const Plan& plan) {
  PhaseShares shares;
  for (const Plan::Segment& segment : plan.segments) {
    const std::vector<double> points = points_of(chain, plan, segment);
    std::vector<double> done;                                          // end time of each group
    std::vector<double> free(static_cast<std::size_t>(plan.threads));  // time from which each
                                                                       // thread is free
    double last = 0;
    for (std::size_t g = 0; g < points.size(); ++g) {
      const Plan::Group& group = segment.groups[g];
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
  return shares;
}

}  // namespace Atoll::stencil
