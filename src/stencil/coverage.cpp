// Coverage of the points that a chain reads by the points that it has written before.
#include "stencil/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/base/error.hpp"

namespace Atoll::stencil {
namespace {

/// Calls work(part) for boxes that partition the points of `range` outside of `box`.
template <class Work>
void outside(Range range, const Range& box, Work&& work) {
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    Range part = range;
    part.hi[d] = std::min(range.hi[d], box.lo[d]);
    if (!part.empty()) work(part);
    part = range;
    part.lo[d] = std::max(range.lo[d], box.hi[d]);
    if (!part.empty()) work(part);
    range.lo[d] = std::max(range.lo[d], box.lo[d]);
    range.hi[d] = std::min(range.hi[d], box.hi[d]);
    if (range.empty()) return;
  }
}

/// True if the boxes from index `next` on cover the range.
bool covered(const std::vector<Range>& boxes, std::size_t next, const Range& range) {
  for (; next < boxes.size(); ++next) {
    if (range.intersect(boxes[next]).empty()) continue;
    bool all = true;
    outside(range, boxes[next],
            [&](const Range& part) { all = all && covered(boxes, next + 1, part); });
    return all;
  }
  return range.empty();
}

}  // namespace

void Points::add(const Range& range) {
  if (cover(range)) return;
  if (std::ranges::all_of(boxes_, [&](const Range& box) { return box.intersect(range).empty(); })) {
    boxes_.push_back(range);
    return;
  }
  std::vector<Range> kept;
  for (const Range& box : boxes_) {
    if (box.intersect(range).empty())
      kept.push_back(box);
    else
      outside(box, range, [&](const Range& part) { kept.push_back(part); });
  }
  kept.push_back(range);
  boxes_ = std::move(kept);
}

void Points::remove(const Range& range) {
  std::vector<Range> kept;
  for (const Range& box : boxes_)
    if (box.intersect(range).empty())
      kept.push_back(box);
    else
      outside(box, range, [&](const Range& part) { kept.push_back(part); });
  boxes_ = std::move(kept);
}

void Points::copy(const Range& range, const std::array<int, kMaxDimensions>& offset) {
  std::vector<Range> copied;
  for (Range box : boxes_) {
    for (std::size_t d = 0; d < kMaxDimensions; ++d) box.lo[d] -= offset[d], box.hi[d] -= offset[d];
    if (const Range part = box.intersect(range); !part.empty()) copied.push_back(part);
  }
  remove(range);
  boxes_.insert(boxes_.end(), copied.begin(), copied.end());
}

void Points::add(const Points& others) {
  for (const Range& box : others.boxes_) add(box);
}

bool Points::cover(const Range& range) const {
  return covered(boxes_, 0, range);
}

Range region_of(const Chain& chain, const ChainLoop& loop, const ChainAccess& access, bool reads) {
  const ChainField& field = chain.fields[static_cast<std::size_t>(access.field)];
  Range region = loop.range;
  const int dimensions = chain.meshes[static_cast<std::size_t>(loop.mesh)].dimensions;
  for (std::size_t d = 0; d < kMaxDimensions; ++d) {
    if (static_cast<int>(d) >= dimensions || field.flat[d]) {
      region.lo[d] = 0;
      region.hi[d] = 1;
    } else if (reads) {
      region.lo[d] += access.stencil.lo()[d];
      region.hi[d] += access.stencil.hi()[d];
    }
  }
  return region.intersect(field.whole);
}

bool Points::cover(const Points& others) const {
  return std::ranges::all_of(others.boxes_, [&](const Range& box) { return cover(box); });
}

bool Points::meets(const Range& range) const {
  return std::ranges::any_of(boxes_,
                             [&](const Range& box) { return !box.intersect(range).empty(); });
}

void record_write(const Chain& chain, const ChainLoop& loop, const ChainAccess& access,
                  Points& written) {
  const Range region = region_of(chain, loop, access, false);
  if (access.copies)
    // A copy of a point without content has none. Corners of halos are copied before they are set.
    written.copy(region, access.stencil.lo());
  else if (access.access == AccessMode::write)
    written.add(region);
}

FieldPoints temporary_points(const Chain& chain) {
  std::vector<bool> wanted;
  for (const ChainField& field : chain.fields) wanted.push_back(field.temporary);
  return points_of(chain, wanted);
}

FieldPoints points_of(const Chain& chain, const std::vector<bool>& wanted) {
  FieldPoints points;
  points.written.resize(chain.fields.size());
  points.modified.resize(chain.fields.size());
  const auto is_wanted = [&](const ChainAccess& access) {
    return wanted[static_cast<std::size_t>(access.field)];
  };
  for (int l = 0; l < static_cast<int>(chain.loops.size()); ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    if (loop.range.empty()) continue;
    for (const ChainAccess& access : loop.accesses) {
      if (!is_wanted(access) || access.access == AccessMode::write || access.copies) continue;
      const Range region = region_of(chain, loop, access, true);
      if (!points.written[static_cast<std::size_t>(access.field)].cover(region))
        points.needs.push_back({l, access.field, region});
    }
    for (const ChainAccess& access : loop.accesses) {
      if (!is_wanted(access) || access.access == AccessMode::read) continue;
      const auto f = static_cast<std::size_t>(access.field);
      record_write(chain, loop, access, points.written[f]);
      points.modified[f].add(region_of(chain, loop, access, false));
    }
  }
  return points;
}

void check_temporaries(const Chain& chain) {
  const FieldPoints points = temporary_points(chain);
  if (!points.needs.empty()) refuse_temporary(chain, points.needs.front());
}

void refuse_temporary(const Chain& chain, const FieldPoints::Need& need) {
  const ChainField& field = chain.fields[static_cast<std::size_t>(need.field)];
  const int dimensions = chain.meshes[static_cast<std::size_t>(field.mesh)].dimensions;
  throw Error::input(
      fmt::format("loop '{}'", chain.loops[static_cast<std::size_t>(need.loop)].name),
      fmt::format("reads the temporary field '{}' in {}, which this chain hasn't written",
                  field.name, to_string(need.range, dimensions)),
      "write it first, or make it a field that isn't temporary");
}

std::vector<FieldUseInChain> field_uses(const Chain& chain) {
  std::vector<FieldUseInChain> uses(chain.fields.size());
  for (FieldUseInChain& use : uses) use.read_only = use.written_first = true;
  for (int l = 0; l < static_cast<int>(chain.loops.size()); ++l) {
    const ChainLoop& loop = chain.loops[static_cast<std::size_t>(l)];
    if (loop.range.empty()) continue;
    for (const ChainAccess& access : loop.accesses) {
      const auto f = static_cast<std::size_t>(access.field);
      FieldUseInChain& use = uses[f];
      const ChainField& field = chain.fields[f];
      if (use.first_loop < 0) use.first_loop = l;
      use.last_loop = l;
      const Range& interior = chain.meshes[static_cast<std::size_t>(field.mesh)].interior;
      const auto extend_halo = [&](const Range& region) {
        for (std::size_t d = 0; d < kMaxDimensions; ++d) {
          if (field.flat[d]) continue;
          use.halo_lo[d] = std::max(use.halo_lo[d], interior.lo[d] - region.lo[d]);
          use.halo_hi[d] = std::max(use.halo_hi[d], region.hi[d] - interior.hi[d]);
        }
      };
      if (access.access != AccessMode::read) {
        use.read_only = false;
        extend_halo(region_of(chain, loop, access, false));
      }
      if (access.access != AccessMode::write) extend_halo(region_of(chain, loop, access, true));
    }
  }
  const FieldPoints points = points_of(chain, std::vector<bool>(chain.fields.size(), true));
  for (const FieldPoints::Need& need : points.needs)
    uses[static_cast<std::size_t>(need.field)].written_first = false;
  return uses;
}

}  // namespace Atoll::stencil
