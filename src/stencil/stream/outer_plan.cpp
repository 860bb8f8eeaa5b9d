// Outer tiles: their sizes, the rows that each transfers, and the part of the chain in each.
#include "stencil/stream/outer_plan.hpp"

#include <algorithm>
#include <optional>

#include "stencil/coverage.hpp"
#include "stencil/cut.hpp"
#include "stencil/footprint.hpp"
#include "stencil/intervals.hpp"
#include "stencil/skew.hpp"
#include "stencil/split.hpp"
#include "stencil/stream/inner_chain.hpp"
#include "stencil/stream/slot.hpp"

namespace Atoll::stencil {
namespace {

/// The loops [first, end) with the meshes and fields of the chain.
Chain loops_of(const Chain& chain, int first, int end) {
  return {chain.meshes, chain.fields, {chain.loops.begin() + first, chain.loops.begin() + end}};
}

/// True if the loops of the chain write all points of the rows of a field that they write any
/// points of.
bool writes_whole_rows(const Chain& chain, int number) {
  const ChainField& field = chain.fields[static_cast<std::size_t>(number)];
  const auto d =
      static_cast<std::size_t>(dimension_of(chain.meshes[static_cast<std::size_t>(field.mesh)], 0));
  Points points;
  Intervals rows;
  for (const ChainLoop& loop : chain.loops)
    for (const ChainAccess& access : loop.accesses) {
      if (access.field != number || access.access == AccessMode::read || loop.range.empty())
        continue;
      const Range region = region_of(chain, loop, access, false);
      record_write(chain, loop, access, points);
      add(rows, {region.lo[d], region.hi[d]});
    }
  return std::ranges::all_of(rows, [&](const Plan::Interval& part) {
    Range whole = field.whole;
    whole.lo[d] = part.lo;
    whole.hi[d] = part.hi;
    return points.cover(whole);
  });
}

/// Needs of one field of a segment.
struct Needs {
  bool is_read = false;       ///< its previous content is needed
  bool is_written = false;    ///< its new content is needed after the segment
  bool is_read_only = false;  ///< it is only read, and written back nevertheless
};

class OuterPlanner {
  /// Cost of a byte that is copied between slots, relative to one that is moved from or to a file.
  static constexpr double kCopyCost = 0.1;

 public:
  OuterPlanner(const Chain& chain, std::span<const StreamedField> fields, std::uint64_t slot_bytes,
               Mode mode, const StreamRules& rules)
      : chain_(chain),
        fields_(fields),
        slot_bytes_(slot_bytes),
        mode_(mode),
        rules_(rules),
        uses_(field_uses(chain)),
        points_(points_of(chain, std::vector<bool>(chain.fields.size(), true))) {}

  std::optional<OuterPlan> run() {
    const Skew whole = skew_of(chain_);
    int most_skew = 0;
    for (const ChainLoop& loop : chain_.loops)
      most_skew = std::max(most_skew, whole[outer_of(loop)]);
    std::optional<OuterPlan> best;
    double least = 0;
    // Long segments transfer less, but copy more between slots, and leave fewer rows to a tile.
    for (int limit = mode_ == Mode::tiled ? first_limit() : 0; limit > 0; limit /= 2) {
      Skew skew;
      skew.fill(kMaxExtent);
      for (const ChainLoop& loop : chain_.loops) skew[outer_of(loop)] = limit;
      if (!tile_all(split(chain_, skew))) continue;
      const double cost = static_cast<double>(plan_.bytes_in + plan_.bytes_out) +
                          kCopyCost * static_cast<double>(plan_.bytes_copied);
      if (!best || cost < least) best = std::move(plan_), least = cost;
      if (most_skew <= limit / 2) break;  // the next limit would give the same plan
    }
    if (best) return best;
    PlanOptions alone;
    alone.mode = Mode::untiled;
    if (tile_all(split(chain_, alone))) return std::move(plan_);
    return {};
  }

  /// Returns the bytes of the largest slot if each loop is a segment, in tiles of one row.
  std::uint64_t least() {
    std::uint64_t least = 0;
    for (int l = 0; l < static_cast<int>(chain_.loops.size()); ++l) {
      if (chain_.loops[static_cast<std::size_t>(l)].range.empty()) continue;
      OuterSegment one{l, l + 1, 1, {}};
      least = std::max(least, tile(loops_of(chain_, l, l + 1), one));
    }
    return least;
  }

 private:
  [[nodiscard]] std::size_t outer_of(const ChainLoop& loop) const {
    return static_cast<std::size_t>(
        dimension_of(chain_.meshes[static_cast<std::size_t>(loop.mesh)], 0));
  }
  /// Bytes of one row of all streamed fields that the loops access.
  [[nodiscard]] std::uint64_t row_bytes(const Chain& part) const {
    std::vector<bool> is_used(fields_.size());
    for (const ChainLoop& loop : part.loops)
      for (const ChainAccess& access : loop.accesses)
        is_used[static_cast<std::size_t>(access.field)] = true;
    std::uint64_t bytes = 0;
    for (std::size_t f = 0; f < fields_.size(); ++f)
      if (is_used[f]) bytes += fields_[f].row_bytes;
    return std::max<std::uint64_t>(1, bytes);
  }
  [[nodiscard]] int most_rows() const {
    int rows = 1;
    for (const ChainMesh& mesh : chain_.meshes)
      rows = std::max(rows, mesh.interior.hi[static_cast<std::size_t>(dimension_of(mesh, 0))]);
    return rows;
  }
  /// Maximum skew of the first attempt. A quarter of the rows of a slot are then the tile's own.
  [[nodiscard]] int first_limit() const {
    return static_cast<int>(std::min<std::uint64_t>(slot_bytes_ / row_bytes(chain_) * 3 / 4,
                                                    static_cast<std::uint64_t>(most_rows())));
  }

  /// Makes the plan for these segments. Returns false if a slot would be too small.
  bool tile_all(const std::vector<Plan::Segment>& segments) {
    plan_ = {};
    plan_.dropped.resize(fields_.size());
    for (const StreamedField& field : fields_) plan_.row_bytes.push_back(field.row_bytes);
    return std::ranges::all_of(segments,
                               [&](const Plan::Segment& segment) { return add_segment(segment); });
  }

  bool add_segment(const Plan::Segment& segment) {
    const Chain part = loops_of(chain_, segment.first, segment.end);
    const std::uint64_t row = row_bytes(part);
    const Skew skew = skew_of(part);
    int rows = most_rows();
    if (const std::uint64_t most = slot_bytes_ / row; most < static_cast<std::uint64_t>(rows))
      rows = static_cast<int>(most) - skew[outer_of(part.loops.front())];
    OuterSegment made{segment.first, segment.end, 0, {}};
    while (rows > 0) {
      made.tile_rows = rows;
      const std::uint64_t bytes = tile(part, made);
      if (made.tiles.empty()) return true;  // no loop has points
      if (bytes <= slot_bytes_) {
        plan_.slot_bytes = std::max(plan_.slot_bytes, bytes);
        add_transfers(part, made);
        for (OuterTile& tile : made.tiles) tile.segment = plan_.segments.size();
        plan_.segments.push_back(std::move(made));
        return true;
      }
      rows -= static_cast<int>(std::clamp<std::uint64_t>((bytes - slot_bytes_) / row, 1,
                                                         static_cast<std::uint64_t>(rows)));
    }
    return false;
  }

  /// Cuts the segment into tiles of `made.tile_rows` rows. Returns the bytes of the largest slot.
  std::uint64_t tile(const Chain& part, OuterSegment& made) {
    TileSize size;
    for (const ChainLoop& loop : part.loops) size.points[outer_of(loop)] = made.tile_rows;
    auto tiling = std::make_shared<Plan::Tiling>();
    tiling->loops.resize(part.loops.size());
    tiling->tiles[0] = static_cast<int>(cut_level(part, 0, 1, size, tiling->loops).size());
    cut_ = {0, static_cast<int>(part.loops.size()), Plan::End::chain, 0, std::move(tiling)};
    made.tiles.assign(static_cast<std::size_t>(cut_.tiling->tiles[0]), {});
    written_.clear();
    std::uint64_t most = 0;
    for (std::size_t t = 0; t < made.tiles.size(); ++t) {
      OuterTile& tile = made.tiles[t];
      std::vector<TileUse> uses = uses_of_tile(part, cut_, static_cast<int>(t));
      tile.fields.resize(fields_.size());
      std::vector<Intervals>& written = written_.emplace_back(fields_.size());
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        tile.fields[f].accessed = std::move(uses[f].accessed);
        written[f] = std::move(uses[f].written);
      }
      most = std::max(most, SlotLayout(tile, fields_).bytes());
      if (most > slot_bytes_) break;
    }
    return most;
  }

  /// Rows that a tile accesses, the next one doesn't, and a later one does again: on periodic
  /// meshes, the first rows. They go through the home in any case.
  [[nodiscard]] Intervals rows_again(std::size_t f, const OuterSegment& made) const {
    Intervals before, again;
    for (std::size_t t = 0; t < made.tiles.size(); ++t) {
      const OuterRows& rows = made.tiles[t].fields[f];
      add(again, common(without(rows.accessed, rows.copied), before));
      add(before, written_[t][f]);
    }
    return again;
  }

  /// `use` and `later` are the uses in the segment, and in the loops of the chain after it.
  [[nodiscard]] Needs needs_of(const Chain& part, std::size_t field, const FieldUseInChain& use,
                               const FieldUseInChain& later, const Intervals& again) const {
    Needs needs;
    // Data whose new values aren't read after the chain.
    const bool is_discarded = fields_[field].may_drop && uses_[field].written_first &&
                              points_.written[field].cover(points_.modified[field]);
    const bool is_live = later.first_loop >= 0 && !later.written_first;
    needs.is_read_only = use.read_only && !rules_.read_only;
    needs.is_written = needs.is_read_only || (!use.read_only && (!is_discarded || is_live));
    // A written row goes back as a whole, so points that aren't written must have been read.
    needs.is_read =
        !rules_.write_first || !use.written_first ||
        ((needs.is_written || !again.empty()) && !writes_whole_rows(part, static_cast<int>(field)));
    return needs;
  }

  void add_transfers(const Chain& part, OuterSegment& made) {
    const std::vector<FieldUseInChain> uses = field_uses(part);
    const std::vector<FieldUseInChain> later =
        field_uses(loops_of(chain_, made.end, static_cast<int>(chain_.loops.size())));
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (uses[f].first_loop < 0 || !fields_[f].is_streamed()) continue;
      for (std::size_t t = 1; t < made.tiles.size(); ++t)
        made.tiles[t].fields[f].copied =
            common(made.tiles[t].fields[f].accessed, made.tiles[t - 1].fields[f].accessed);
      const Intervals again = rows_again(f, made);
      const Needs needs = needs_of(part, f, uses[f], later[f], again);
      if (!uses[f].read_only) plan_.dropped[f] = !needs.is_written;
      add_transfers(f, needs, again, made);
    }
    InnerChains inner(part, made.first);
    for (std::size_t t = 0; t < made.tiles.size(); ++t)
      inner.make(cut_, static_cast<int>(t), made.tiles[t]);
  }

  void add_transfers(std::size_t f, const Needs& needs, const Intervals& again,
                     OuterSegment& made) {
    Intervals before;   // rows that earlier tiles have written
    Intervals changed;  // rows of the current slot that the home lacks
    for (std::size_t t = 0; t < made.tiles.size(); ++t) {
      OuterRows& rows = made.tiles[t].fields[f];
      const Intervals right = without(rows.accessed, rows.copied);
      rows.in = needs.is_read ? right : common(right, before);
      add(before, written_[t][f]);
      add(changed, needs.is_read_only ? rows.accessed : written_[t][f]);
      Intervals left = changed;
      if (t + 1 < made.tiles.size()) {
        changed = common(left, made.tiles[t + 1].fields[f].accessed);
        left = without(left, changed);
      }
      rows.out = needs.is_written ? left : common(left, again);
      plan_.bytes_copied += static_cast<std::uint64_t>(size_of(rows.copied)) * fields_[f].row_bytes;
      plan_.bytes_in += static_cast<std::uint64_t>(size_of(rows.in)) * fields_[f].row_bytes;
      plan_.bytes_out += static_cast<std::uint64_t>(size_of(rows.out)) * fields_[f].row_bytes;
    }
  }

  const Chain& chain_;
  const std::span<const StreamedField> fields_;
  std::uint64_t slot_bytes_;
  const Mode mode_;
  const StreamRules rules_;
  const std::vector<FieldUseInChain> uses_;
  const FieldPoints points_;
  OuterPlan plan_;
  Plan::Segment cut_;                            ///< the current segment, cut into outer tiles
  std::vector<std::vector<Intervals>> written_;  ///< rows by tile and field
};

}  // namespace

std::optional<OuterPlan> make_outer_plan(const Chain& chain, std::span<const StreamedField> fields,
                                         std::uint64_t slot_bytes, Mode mode,
                                         const StreamRules& rules) {
  return OuterPlanner(chain, fields, slot_bytes, mode, rules).run();
}

std::uint64_t least_slot_bytes(const Chain& chain, std::span<const StreamedField> fields) {
  return OuterPlanner(chain, fields, UINT64_MAX, Mode::untiled, {}).least();
}

}  // namespace Atoll::stencil
