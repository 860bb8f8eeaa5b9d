// The bounds of tiles in one level.
//
// Each coordinate of each loop gets a tile: its own, or a later one if it depends on something that
// a later one does. What it depends on is known by then, because loops are taken in their order:
// each field has, for each coordinate, the tile that wrote it last and the latest tile that read it
// since. Bounds that move with the loops (the skew), boundaries that are thin, meshes that are
// periodic: all come out of this one rule.
#include "stencil/cut.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "stencil/steps.hpp"

namespace Atoll::stencil {
namespace {

/// Who used a field last.
struct LastUse {
  bool matters = false;  ///< it is written in the segment
  std::optional<Steps> wrote, read;
};

class Cutter {
 public:
  Cutter(const Chain& chain, int first, int end, int level, int bands, const TileSize& tile)
      : chain_(chain), first_(first), end_(end), level_(level), uses_(chain.fields.size()) {
    for (const ChainMesh& mesh : chain.meshes) {
      const int d = dimension_of(mesh, level);
      const int points = d < 0 ? 1 : mesh.interior.hi[static_cast<std::size_t>(d)];
      const int size = d < 0 ? 0 : tile.points[static_cast<std::size_t>(d)];
      zones_.push_back(make_zones(points, bands, size));
    }
    for (int l = first; l < end; ++l)
      for (const ChainAccess& access : loop(l).accesses)
        if (access.access != Access::read)
          uses_[static_cast<std::size_t>(access.field)].matters = true;
  }

  LevelCut run() {
    if (std::ranges::all_of(zones_, [](const Zones& zones) { return zones.zones.size() == 1; }))
      return uncut();
    std::vector<Steps> tiles;
    tiles.reserve(static_cast<std::size_t>(end_ - first_));
    for (int l = first_; l < end_; ++l) tiles.push_back(tiles_of(loop(l)));
    return number(tiles);
  }

 private:
  [[nodiscard]] const ChainLoop& loop(int l) const {
    return chain_.loops[static_cast<std::size_t>(l)];
  }
  [[nodiscard]] const Zones& zones_of(int mesh) const {
    return zones_[static_cast<std::size_t>(mesh)];
  }

  /// One tile has everything.
  [[nodiscard]] LevelCut uncut() const {
    LevelCut cut{{label_of(0, 0)}, {}};
    cut.loops.reserve(static_cast<std::size_t>(end_ - first_));
    for (int l = first_; l < end_; ++l) {
      const ChainMesh& mesh = chain_.meshes[static_cast<std::size_t>(loop(l).mesh)];
      const int d = dimension_of(mesh, level_);
      Plan::Interval all{0, 1};
      if (d >= 0)
        all = {loop(l).range.lo[static_cast<std::size_t>(d)],
               loop(l).range.hi[static_cast<std::size_t>(d)]};
      if (loop(l).range.empty())
        cut.loops.push_back({{0, 0}, {}});
      else
        cut.loops.push_back({{0, 1}, {all}});
    }
    return cut;
  }

  Steps tiles_of(const ChainLoop& loop) {
    const ChainMesh& mesh = chain_.meshes[static_cast<std::size_t>(loop.mesh)];
    const Zones& zones = zones_of(loop.mesh);
    const int d = dimension_of(mesh, level_);
    if (loop.range.empty()) return {};
    if (d < 0) return Steps(zones, 0, 1, true);
    const int lo = loop.range.lo[static_cast<std::size_t>(d)];
    const int hi = loop.range.hi[static_cast<std::size_t>(d)];
    Steps mine(zones, lo, hi, true);
    for (const ChainAccess& access : loop.accesses) join_last_uses(mine, access, zones, d);
    if (d == 0 && loop.whole_blocks > 0) mine.make_blocks(zones, loop.whole_blocks);
    for (const ChainAccess& access : loop.accesses) note_use(mine, access, zones, d);
    return mine;
  }

  [[nodiscard]] bool flat(int field, int d) const {
    return chain_.fields[static_cast<std::size_t>(field)].flat[static_cast<std::size_t>(d)];
  }

  void join_last_uses(Steps& mine, const ChainAccess& access, const Zones& zones, int d) {
    LastUse& use = uses_[static_cast<std::size_t>(access.field)];
    if (!use.matters || !use.wrote) return;
    if (flat(access.field, d)) {
      const auto join_all = [&](const Steps& other) {
        mine.join(zones, mine.lo(), mine.hi(), other.all(zones.zones.front(), zones.bands));
      };
      join_all(*use.wrote);
      if (access.access != Access::read) join_all(*use.read);
      return;
    }
    for_offsets(access, d, [&](int at) { mine.join(zones, mine.lo(), mine.hi(), *use.wrote, at); });
    if (access.access == Access::read) return;
    mine.join(zones, mine.lo(), mine.hi(), *use.wrote, 0);
    mine.join(zones, mine.lo(), mine.hi(), *use.read, 0);
  }

  void note_use(const Steps& mine, const ChainAccess& access, const Zones&, int d) {
    LastUse& use = uses_[static_cast<std::size_t>(access.field)];
    if (!use.matters) return;
    const ChainField& field = chain_.fields[static_cast<std::size_t>(access.field)];
    const Zones& theirs = zones_of(field.mesh);
    if (!use.wrote) {
      const auto dim = static_cast<std::size_t>(d);
      use.wrote.emplace(theirs, field.whole.lo[dim], field.whole.hi[dim], false);
      use.read.emplace(theirs, field.whole.lo[dim], field.whole.hi[dim], false);
    }
    if (flat(access.field, d)) {
      const Label all = mine.all(theirs.zones.front(), theirs.bands);
      if (access.access != Access::write) use.read->join(theirs, 0, 1, all);
      if (access.access != Access::read) use.wrote->join(theirs, 0, 1, all);
      return;
    }
    if (access.access != Access::read) {
      use.wrote->assign(mine.lo(), mine.hi(), mine);
      use.read->clear(mine.lo(), mine.hi());
    }
    if (access.access == Access::write || access.access == Access::increment) return;
    for_offsets(access, d,
                [&](int at) { use.read->join(theirs, mine.lo() + at, mine.hi() + at, mine, -at); });
  }

  template <class Work>
  static void for_offsets(const ChainAccess& access, int d, Work&& work) {
    if (access.access == Access::write || access.access == Access::increment) return;
    access.stencil.for_each_along(d, work);
  }

  LevelCut number(const std::vector<Steps>& tiles) const {
    LevelCut cut;
    for (const Steps& mine : tiles)
      for (const Steps::Piece& piece : mine.pieces())
        if (cut.labels.empty() || cut.labels.back() != piece.label)
          cut.labels.push_back(piece.label);
    std::ranges::sort(cut.labels);
    cut.labels.erase(std::unique(cut.labels.begin(), cut.labels.end()), cut.labels.end());
    struct Part {
      std::uint32_t tile;
      Plan::Interval interval;
    };
    std::vector<Part> parts;
    cut.loops.reserve(tiles.size());
    for (const Steps& mine : tiles) {
      parts.clear();
      for (const Steps::Piece& piece : mine.pieces()) {
        const auto tile = static_cast<std::uint32_t>(
            std::ranges::lower_bound(cut.labels, piece.label) - cut.labels.begin());
        if (!parts.empty() && parts.back().tile == tile)
          parts.back().interval.hi = piece.end;
        else
          parts.push_back({tile, {piece.begin, piece.end}});
      }
      if (!std::ranges::is_sorted(parts, {}, &Part::tile))
        std::ranges::stable_sort(parts, {}, &Part::tile);
      Plan::Cut& made = cut.loops.emplace_back();
      made.first.reserve(cut.labels.size() + 1);
      made.intervals.reserve(parts.size());
      std::size_t at = 0;
      for (std::uint32_t tile = 0; tile < cut.labels.size(); ++tile) {
        made.first.push_back(static_cast<std::uint32_t>(at));
        for (; at < parts.size() && parts[at].tile == tile; ++at)
          made.intervals.push_back(parts[at].interval);
      }
      made.first.push_back(static_cast<std::uint32_t>(at));
    }
    return cut;
  }

  const Chain& chain_;
  int first_, end_, level_;
  std::vector<Zones> zones_;
  std::vector<LastUse> uses_;
};

}  // namespace

int dimension_of(const ChainMesh& mesh, int level) {
  return mesh.dimensions - 1 - level;
}

LevelCut cut_level(const Chain& chain, int first, int end, int level, int bands,
                   const TileSize& tile) {
  return Cutter(chain, first, end, level, bands, tile).run();
}

}  // namespace Atoll::stencil
