// Plans of chains: segments, bands, levels.
#include "atoll/stencil/plan.hpp"

#include <algorithm>

#include "stencil/bands.hpp"
#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"

namespace Atoll::stencil {
namespace {

/// The dependences of a loop that writes a field of extent 1 would gather everything in one tile:
/// it runs alone. Such loops set coordinates up, and come once.
bool runs_alone(const Chain& chain, const ChainLoop& loop) {
  const int dimensions = chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions;
  return std::ranges::any_of(loop.accesses, [&](const ChainAccess& access) {
    const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
    return access.access != Access::read &&
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

/// Level 0's labels are in groups: these, in the order of their phases.
std::vector<Plan::Group> groups_of(const std::vector<Label>& labels, int bands) {
  std::vector<Plan::Group> groups;
  std::vector<int> number(static_cast<std::size_t>(2 * bands + 1), -1);
  for (std::size_t at = 0; at < labels.size();) {
    const int group = group_of(labels[at]);
    Plan::Group made;
    made.first = static_cast<int>(at);
    while (at < labels.size() && group_of(labels[at]) == group) ++at;
    made.end = static_cast<int>(at);
    made.phase = group < bands ? 1 : group < 2 * bands ? 2 : 3;
    made.thread = made.phase == 3 ? 0 : group % bands;
    const auto add = [&](int before) {
      const int found = number[static_cast<std::size_t>(before)];
      if (found >= 0) made.after.push_back(found);
    };
    if (made.phase == 2) add(group - bands), add((group - bands + 1) % bands);
    if (made.phase == 3)
      for (int before = 0; before < 2 * bands; ++before) add(before);
    number[static_cast<std::size_t>(group)] = static_cast<int>(groups.size());
    groups.push_back(std::move(made));
  }
  return groups;
}

Plan plan_with(const Chain& chain, const PlanOptions& options, bool tiled, int bands) {
  Plan plan;
  plan.tile = tiled ? options.tile : TileSize{};
  plan.threads = options.threads;
  plan.bands = bands;
  plan.segments = divide(chain, tiled);
  plan.loops.resize(chain.loops.size());
  for (Plan::Segment& segment : plan.segments)
    for (int level = 0; level < kMaxDimensions; ++level) {
      LevelCut cut =
          cut_level(chain, segment.first, segment.end, level, level == 0 ? bands : 1, plan.tile);
      for (std::size_t l = 0; l < cut.loops.size(); ++l)
        plan.loops[static_cast<std::size_t>(segment.first) + l][static_cast<std::size_t>(level)] =
            std::move(cut.loops[l]);
      segment.tiles[static_cast<std::size_t>(level)] = static_cast<int>(cut.labels.size());
      if (level == 0) segment.groups = groups_of(cut.labels, bands);
    }
  return plan;
}

/// As many bands as the shortest mesh has rows.
int most_bands(const Chain& chain, int threads) {
  int bands = std::max(1, std::min(threads, 1000));
  for (const ChainMesh& mesh : chain.meshes)
    bands = std::min(bands, mesh.interior.hi[static_cast<std::size_t>(mesh.dimensions - 1)]);
  return bands;
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

/// The points of a loop in one row (a plane in 3D) of the outermost dimension, and which one that
/// is.
struct Rows {
  double points = 0;
  std::size_t dimension = 0;
};
Rows rows_of(const Chain& chain, const ChainLoop& loop) {
  const int outer = dimension_of(chain.meshes[static_cast<std::size_t>(loop.mesh)], 0);
  const auto d = static_cast<std::size_t>(outer);
  return {static_cast<double>(loop.range.points()) / (loop.range.hi[d] - loop.range.lo[d]), d};
}

/// The points on the longest way through a plan that runs loop after loop: those of each loop's
/// largest band.
double critical_untiled(const Chain& chain, int bands) {
  std::vector<std::vector<int>> ends;  // of each mesh's bands
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
      // The last band has the halo after it, too.
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
  const int most = most_bands(chain, options.threads);
  if (options.mode != Mode::tiled) return plan_with(chain, options, false, most);
  // Bands that are thin are worth little: their gaps, and what gaps leave, wait for all others.
  // Halved bands are tried, and loops one by one, which touch memory more often.
  Plan best;
  double least = 0;
  for (int bands = most; bands >= 1; bands /= 2) {
    // One band has no gaps.
    if (bands == 1 && most > 1 && critical_untiled(chain, 1) >= least) break;
    Plan plan = plan_with(chain, options, true, bands);
    if (most == 1) return plan;
    const PhaseShares shares = phase_shares(chain, plan);
    if (best.loops.empty() || shares.critical < least)
      best = std::move(plan), least = shares.critical;
    // More than enough: no gap is as long as a band.
    if (shares.critical * most <= 1.25 * shares.bands + 1) break;
  }
  constexpr double kUntiledCost = 1.35;  // what a point costs without tiles, at least
  if (critical_untiled(chain, most) * kUntiledCost >= least) return best;
  Plan untiled = plan_with(chain, options, false, most);
  untiled.tile = options.tile;
  return untiled;
}

PhaseShares phase_shares(const Chain& chain, const Plan& plan) {
  PhaseShares shares;
  for (const Plan::Segment& segment : plan.segments) {
    std::vector<double> points(static_cast<std::size_t>(segment.tiles[0]));
    for (int l = segment.first; l < segment.end; ++l) {
      const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
      if (loop.range.empty()) continue;
      const double row = rows_of(chain, loop).points;
      const Plan::Cut& cut = plan.loops[static_cast<std::size_t>(l)][0];
      for (std::size_t tile = 0; tile < points.size(); ++tile)
        for (std::uint32_t i = cut.first[tile]; i < cut.first[tile + 1]; ++i)
          points[tile] += row * (cut.intervals[i].hi - cut.intervals[i].lo);
    }
    std::vector<double> done;  // when each group ends
    double last = 0;
    for (const Plan::Group& group : segment.groups) {
      double begin = 0, work = 0;
      for (const int before : group.after)
        begin = std::max(begin, done[static_cast<std::size_t>(before)]);
      for (int tile = group.first; tile < group.end; ++tile)
        work += points[static_cast<std::size_t>(tile)];
      (group.phase == 1 ? shares.bands : group.phase == 2 ? shares.gaps : shares.rest) += work;
      done.push_back(begin + work);
      last = std::max(last, done.back());
    }
    shares.critical += last;
  }
  return shares;
}

}  // namespace Atoll::stencil
