// Computes the bounds of tiles in one level.
//
// Each coordinate of each loop is assigned to a tile: its home tile, or a later one if it depends
// on results of a later one. Loops are processed in order, so these dependences are known: for each
// field and coordinate, the tile that wrote it last, and the latest tile that has read it since.
// Skewed bounds, thin boundaries and periodic meshes all follow from this one rule.
#include "stencil/cut.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>

#include "stencil/steps.hpp"

namespace Atoll::stencil {
namespace {

/// Last accesses of a field.
struct LastUse {
  int last = -1, last_write = -1;  ///< last loops that access it and that write it
  std::optional<Steps> wrote, read;
};

class Cutter {
 public:
  Cutter(const Chain& chain, int level, int bands, const TileSize& tile,
         std::vector<Plan::Cuts>& cuts)
      : chain_(chain),
        loops_(static_cast<int>(chain.loops.size())),
        level_(level),
        cuts_(cuts),
        uses_(chain.fields.size()) {
    for (const ChainMesh& mesh : chain.meshes) {
      const int d = dimension_of(mesh, level);
      const int points = d < 0 ? 1 : mesh.interior.hi[static_cast<std::size_t>(d)];
      const int size = d < 0 ? 0 : tile.points[static_cast<std::size_t>(d)];
      zones_.push_back(make_zones(points, bands, size));
    }
    for (int l = 0; l < loops_; ++l)
      for (const ChainAccess& access : loop(l).accesses) {
        LastUse& use = uses_[static_cast<std::size_t>(access.field)];
        use.last = l;
        if (access.access != AccessMode::read) use.last_write = l;
      }
  }

  std::vector<Label> run() {
    if (std::ranges::all_of(zones_, [](const Zones& zones) { return zones.zones.size() == 1; }))
      return uncut();
    std::vector<Steps> tiles;
    tiles.reserve(chain_.loops.size());
    for (int l = 0; l < loops_; ++l) tiles.push_back(tiles_of(l));
    return number(tiles);
  }

 private:
  [[nodiscard]] const ChainLoop& loop(int l) const {
    return chain_.loops[static_cast<std::size_t>(l)];
  }
  [[nodiscard]] const Zones& zones_of(int mesh) const {
    return zones_[static_cast<std::size_t>(mesh)];
  }

  /// Puts all coordinates in one tile.
  [[nodiscard]] std::vector<Label> uncut() {
    for (int l = 0; l < loops_; ++l) {
      const ChainMesh& mesh = chain_.meshes[static_cast<std::size_t>(loop(l).mesh)];
      const int d = dimension_of(mesh, level_);
      Plan::Interval all{0, 1};
      if (d >= 0)
        all = {loop(l).range.lo[static_cast<std::size_t>(d)],
               loop(l).range.hi[static_cast<std::size_t>(d)]};
      cut_of(l).add(std::span(&all, loop(l).range.empty() ? 0 : 1));
    }
    return {label_of(0, 0)};
  }

  Steps tiles_of(int l) {
    const ChainLoop& loop = this->loop(l);
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
    for (const ChainAccess& access : loop.accesses) record_use(l, mine, access, d);
    return mine;
  }

  [[nodiscard]] bool flat(int field, int d) const {
    return chain_.fields[static_cast<std::size_t>(field)].flat[static_cast<std::size_t>(d)];
  }

  void join_last_uses(Steps& mine, const ChainAccess& access, const Zones& zones, int d) {
    LastUse& use = uses_[static_cast<std::size_t>(access.field)];
    if (!use.wrote) return;
    if (flat(access.field, d)) {
      const auto join_all = [&](const Steps& other) {
        mine.join(zones, mine.lo(), mine.hi(), other.all(zones.zones.front(), zones.bands));
      };
      join_all(*use.wrote);
      if (access.access != AccessMode::read) join_all(*use.read);
      return;
    }
    bool joined = false;  // true if the tile that wrote the points themselves was joined
    for_offsets(access, d, [&](int at) {
      mine.join(zones, mine.lo(), mine.hi(), *use.wrote, at);
      joined = joined || at == 0;
    });
    if (access.access == AccessMode::read) return;
    if (!joined) mine.join(zones, mine.lo(), mine.hi(), *use.wrote, 0);
    mine.join(zones, mine.lo(), mine.hi(), *use.read, 0);
  }

  /// Records the dependences of later loops: a loop depends on writes to a field that it uses, and
  /// on reads of a field that it writes.
  void record_use(int l, const Steps& mine, const ChainAccess& access, int d) {
    LastUse& use = uses_[static_cast<std::size_t>(access.field)];
    if (l >= (access.access == AccessMode::read ? use.last_write : use.last)) return;
    const ChainField& field = chain_.fields[static_cast<std::size_t>(access.field)];
    const Zones& theirs = zones_of(field.mesh);
    if (!use.wrote) {
      const auto dim = static_cast<std::size_t>(d);
      use.wrote.emplace(theirs, field.whole.lo[dim], field.whole.hi[dim], false);
      use.read.emplace(theirs, field.whole.lo[dim], field.whole.hi[dim], false);
    }
    if (flat(access.field, d)) {
      const Label all = mine.all(theirs.zones.front(), theirs.bands);
      if (access.access != AccessMode::write) use.read->join(theirs, 0, 1, all);
      if (access.access != AccessMode::read) use.wrote->join(theirs, 0, 1, all);
      return;
    }
    if (access.access != AccessMode::read) {
      use.wrote->assign(mine.lo(), mine.hi(), mine);
      use.read->clear(mine.lo(), mine.hi());
    }
    if (access.access == AccessMode::write || access.access == AccessMode::increment) return;
    if (l >= use.last_write) return;
    for_offsets(access, d,
                [&](int at) { use.read->join(theirs, mine.lo() + at, mine.hi() + at, mine, -at); });
  }

  template <class Work>
  static void for_offsets(const ChainAccess& access, int d, Work&& work) {
    if (access.access == AccessMode::write || access.access == AccessMode::increment) return;
    access.stencil.for_each_along(d, work);
  }

  [[nodiscard]] Plan::Cut& cut_of(int l) {
    return cuts_[static_cast<std::size_t>(l)][static_cast<std::size_t>(level_)];
  }

  /// Returns the position of a label in the ascending list, or its insertion position. The search
  /// begins at `near`, the position of the previous piece's label.
  static std::size_t place_of(Label label, const std::vector<Label>& labels, std::size_t near) {
    for (std::size_t at = near; at < labels.size() && at < near + 2; ++at)
      if (labels[at] == label) return at;
    return static_cast<std::size_t>(std::ranges::lower_bound(labels, label) - labels.begin());
  }

  /// Numbers the tiles in the order of their labels.
  std::vector<Label> number(const std::vector<Steps>& tiles) {
    std::vector<Label> labels;
    for (const Steps& mine : tiles) {
      std::size_t at = 0;
      for (const Steps::Piece& piece : mine.pieces()) {
        at = place_of(piece.label, labels, at);
        if (at == labels.size() || labels[at] != piece.label)
          labels.insert(labels.begin() + static_cast<std::ptrdiff_t>(at), piece.label);
      }
    }
    for (int l = 0; l < loops_; ++l) put(tiles[static_cast<std::size_t>(l)], labels, cut_of(l));
    return labels;
  }

  /// Sorts a loop's pieces by tile.
  void put(const Steps& mine, const std::vector<Label>& labels, Plan::Cut& made) {
    parts_.clear();
    first_.assign(labels.size() + 1, 0);
    std::size_t tile = 0;
    for (const Steps::Piece& piece : mine.pieces()) {
      tile = place_of(piece.label, labels, tile);
      if (!parts_.empty() && parts_.back().tile == tile) {
        parts_.back().interval.hi = piece.end;
      } else {
        parts_.push_back({tile, {piece.begin, piece.end}});
        ++first_[tile + 1];
      }
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    sorted_.resize(parts_.size());
    next_.assign(first_.begin(), first_.end());
    for (const Part& part : parts_) sorted_[next_[part.tile]++] = part.interval;
    for (tile = 0; tile < labels.size(); ++tile)
      made.add({sorted_.data() + first_[tile], first_[tile + 1] - first_[tile]});
  }

  const Chain& chain_;
  int loops_, level_;
  std::vector<Plan::Cuts>& cuts_;
  std::vector<Zones> zones_;
  std::vector<LastUse> uses_;
  struct Part {
    std::size_t tile;
    Plan::Interval interval;
  };
  std::vector<Part> parts_;                  ///< parts of the current loop
  std::vector<Plan::Interval> sorted_;       ///< their intervals, ordered by tile
  std::vector<std::uint32_t> first_, next_;  ///< first and next position of each tile's intervals
};

}  // namespace

int dimension_of(const ChainMesh& mesh, int level) {
  return mesh.dimensions - 1 - level;
}

std::vector<Label> cut_level(const Chain& chain, int level, int bands, const TileSize& tile,
                             std::vector<Plan::Cuts>& cuts) {
  return Cutter(chain, level, bands, tile, cuts).run();
}

}  // namespace Atoll::stencil
