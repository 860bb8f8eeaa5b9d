// Textual description of a plan.
#include <fmt/format.h>

#include "atoll/stencil/plan.hpp"

namespace Atoll::stencil {
namespace {

std::string text_of(const std::vector<Plan::Interval>& intervals) {
  std::string text;
  for (const Plan::Interval& interval : intervals)
    text += fmt::format("{}[{},{})", text.empty() ? "" : " ", interval.lo, interval.hi);
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string to_string(const Chain& chain, const Plan& plan) {
  const PhaseShares shares = phase_shares(chain, plan);
  const double all = std::max(1.0, shares.bands + shares.gaps + shares.rest);
  const auto skew = skew_of(chain);
  std::string text = fmt::format(
      "{} loops on {} fields, {} segments, {} threads in {} bands{}, tiles {}\n"
      "skew {} in x, {} in y, {} in z; {:.1f} % of the points in bands, {:.1f} % in gaps, {:.1f} % "
      "after all others\n",
      chain.loops.size(), chain.fields.size(), plan.segments.size(), plan.threads, plan.bands,
      plan.bands > plan.grid[0]
          ? fmt::format(" ({} x {} x {})", plan.grid[0], plan.grid[1], plan.grid[2])
          : "",
      plan.tile.chosen() ? "whole" : to_string(plan.tile), skew[0], skew[1], skew[2],
      100 * shares.bands / all, 100 * shares.gaps / all, 100 * shares.rest / all);
  for (std::size_t s = 0; s < plan.segments.size(); ++s) {
    const Plan::Segment& segment = plan.segments[s];
    text += fmt::format("segment {}: loops {} to {}, {} x {} x {} tiles\n", s, segment.first,
                        segment.end - 1, segment.tiles[0], segment.tiles[1], segment.tiles[2]);
    for (const Plan::Group& group : segment.groups) {
      text += fmt::format("  {} of thread {}: tiles {} to {}",
                          group.phase == Plan::Group::kLeft ? "rest"
                          : group.phase == 1                ? "band"
                          : group.phase == 2                ? "gap"
                                                            : "crossing of gaps",
                          group.thread, group.first[0], group.end[0] - 1);
      for (std::size_t level = 1; level < kMaxDimensions; ++level)
        if (plan.grid[level] > 1)
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
      if (segment.tiles[0] > 1)
        text += ": the first tile has " + text_of(Plan::of_tile(plan.loops[i][0], 0));
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
