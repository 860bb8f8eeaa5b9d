// Textual description of a plan.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "atoll/base/units.hpp"
#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {
namespace {

std::string text_of(const std::vector<Plan::Interval>& intervals) {
  std::string text;
  for (const Plan::Interval& interval : intervals)
    text += fmt::format("{}[{},{})", text.empty() ? "" : " ", interval.lo, interval.hi);
  return text.empty() ? "nothing" : text;
}

std::string reason_of(const Plan::Segment& segment) {
  switch (segment.why) {
    case Plan::End::chain:
      return "the chain ends";
    case Plan::End::alone:
      return "a loop that writes a field of extent 1 runs alone";
    case Plan::End::untiled:
      return "loops run one after the other";
    case Plan::End::skew:
      break;
  }
  return fmt::format("more loops would skew its tiles too far; fields of {} are live there",
                     format_bytes(segment.live_bytes));
}

}  // namespace

std::string to_string(const Chain& chain, const Plan& plan) {
  const PhaseShares shares = phase_shares(chain, plan);
  const double all = std::max(1.0, shares.bands + shares.gaps + shares.rest);
  const auto skew = skew_of(chain);
  std::string text = fmt::format(
      "{} loops on {} fields, {} segments, {} threads in {} bands, tiles {}\n"
      "skew {} in x, {} in y, {} in z; {:.1f} % of the points in bands, {:.1f} % in gaps, {:.1f} % "
      "after all others\n",
      chain.loops.size(), chain.fields.size(), plan.segments.size(), plan.threads, plan.bands(),
      plan.tile.chosen() ? "whole" : to_string(plan.tile), skew[0], skew[1], skew[2],
      100 * shares.bands / all, 100 * shares.gaps / all, 100 * shares.rest / all);
  std::map<const Plan::Tiling*, std::size_t> seen;
  for (std::size_t s = 0; s < plan.segments.size(); ++s) {
    const Plan::Segment& segment = plan.segments[s];
    const Plan::Tiling& tiling = *segment.tiling;
    text += fmt::format("segment {}: loops {} to {}, {} x {} x {} tiles", s, segment.first,
                        segment.end - 1, tiling.tiles[0], tiling.tiles[1], tiling.tiles[2]);
    if (tiling.bands > tiling.grid[0])
      text += fmt::format(" in {} x {} x {} bands", tiling.grid[0], tiling.grid[1], tiling.grid[2]);
    text += "; it ends because " + reason_of(segment) + "\n";
    const auto [same, is_new] = seen.emplace(&tiling, s);
    if (!is_new) {
      text += fmt::format("  tiled like segment {}\n", same->second);
      continue;
    }
    for (const Plan::Group& group : tiling.groups) {
      text += fmt::format("  {} of thread {}: tiles {} to {}",
                          group.phase == Plan::Group::kLeft ? "rest"
                          : group.phase == 1                ? "band"
                          : group.phase == 2                ? "gap"
                                                            : "crossing of gaps",
                          group.thread, group.first[0], group.end[0] - 1);
      for (std::size_t level = 1; level < kMaxDimensions; ++level)
        if (tiling.grid[level] > 1)
          text += fmt::format(" x {} to {}", group.first[level], group.end[level] - 1);
      for (const char* before = ", after groups "; const int other : group.after)
        text += fmt::format("{}{}", std::exchange(before, " and "), other);
      text += '\n';
    }
    for (int l = segment.first; l < segment.end; ++l) {
      const auto i = static_cast<std::size_t>(l);
      const ChainLoop& loop = chain.loops[i];
      const int dimensions = chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions;
      text += fmt::format("  {:3} {} {}", l, loop.name, to_string(loop.range, dimensions));
      if (tiling.tiles[0] > 1)
        text += ": the first tile has " + text_of(Plan::of_tile(segment.cuts(l)[0], 0));
      text += '\n';
    }
  }
  const auto uses = field_uses(chain);
  for (std::size_t f = 0; f < uses.size(); ++f)
    text += fmt::format(
        "field {}: {}, loops {} to {}, halo {} {} {} below, {} {} {} above\n", chain.fields[f].name,
        uses[f].read_only       ? "only read"
        : uses[f].written_first ? "written first"
                                : "read and written",
        uses[f].first_loop, uses[f].last_loop, uses[f].halo_lo[0], uses[f].halo_lo[1],
        uses[f].halo_lo[2], uses[f].halo_hi[0], uses[f].halo_hi[1], uses[f].halo_hi[2]);
  return text;
}

}  // namespace Atoll::stencil
