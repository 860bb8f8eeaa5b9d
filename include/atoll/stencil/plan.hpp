// The plan of a chain of loops, as a value [out-of-core §3, Figure 2]: how each loop is cut into
// tiles, such that each tile runs all loops of the chain in their order, and which tiles may run at
// the same time. Pure: chain and machine in, plan out. docs/stencil.md explains the choice.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/stencil/arguments.hpp"
#include "atoll/stencil/options.hpp"
#include "atoll/stencil/range.hpp"
#include "atoll/stencil/shape.hpp"

namespace Atoll::stencil {

/// A mesh as planning sees it.
struct ChainMesh {
  std::string name;
  int dimensions = 1;
  Range interior;
  friend bool operator==(const ChainMesh&, const ChainMesh&) = default;
};
/// A field as planning sees it.
struct ChainField {
  std::string name;
  int mesh = 0;                             ///< its position in the chain's meshes
  Range whole;                              ///< with the halo
  std::array<bool, kMaxDimensions> flat{};  ///< extent 1
  std::uint64_t point_bytes = 8;            ///< of all components
  bool temporary = false;
  friend bool operator==(const ChainField&, const ChainField&) = default;
};
/// A loop's use of a field.
struct ChainAccess {
  int field = 0;  ///< its position in the chain's fields
  Access access = Access::read;
  Stencil stencil;
  friend bool operator==(const ChainAccess&, const ChainAccess&) = default;
};
/// A loop as planning sees it.
struct ChainLoop {
  std::string name;
  int mesh = 0;
  Range range;
  std::vector<ChainAccess> accesses;
  /// Blocks of so many points in x, from the range's first point on, that no tile may cut; 0: any
  /// point. Sums need it.
  int whole_blocks = 0;
  friend bool operator==(const ChainLoop&, const ChainLoop&) = default;
};
/// Loops that run together.
struct Chain {
  std::vector<ChainMesh> meshes;
  std::vector<ChainField> fields;
  std::vector<ChainLoop> loops;
  friend bool operator==(const Chain&, const Chain&) = default;
};

/// Into how many bands each level is cut. Threads are a grid: each has a band of every level.
using Grid = std::array<int, kMaxDimensions>;

/// What planning is told besides the chain.
struct PlanOptions {
  int threads = 1;
  Mode mode = Mode::tiled;  ///< `checked` plans as `untiled` does
  TileSize tile;            ///< 0 in a dimension: not cut there
  Grid grid{0, 0, 0};       ///< of zeros: chosen. Others are for tests; levels have to be as long
};

/// How a chain is run. Dimensions are counted from the outermost one: level 0 is z in three
/// dimensions, y in two, x in one. Levels are cut into bands, level 0 above all, and these into
/// tiles.
///
/// A tile is a triple of numbers, one for each level. The tiles of a group run in ascending order
/// (level 0, then 1, then 2), by one thread; each runs its part of all loops of the segment in
/// their order. Groups wait for those that they name. Segments run one after the other.
struct Plan {
  /// Coordinates lo <= i < hi.
  struct Interval {
    int lo = 0, hi = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };
  /// A loop in one level: which coordinates each tile runs.
  struct Cut {
    std::vector<std::uint32_t> first;  ///< for each tile, its first interval; one more at the end
    std::vector<Interval> intervals;   ///< in the order of tiles
    friend bool operator==(const Cut&, const Cut&) = default;
  };
  /// Tiles that one thread runs, one after the other.
  struct Group {
    static constexpr int kLeft = kMaxDimensions + 2;
    std::array<int, kMaxDimensions> first{}, end{};  ///< the tiles' numbers in each level
    int thread = 0;                                  ///< who runs it
    /// 1: a band in all levels; one more for each level in which it lies in the gap between two
    /// bands; kLeft: in what is left in a level.
    int phase = 1;
    std::vector<int> after;  ///< groups of the segment that have to be done before
    [[nodiscard]] bool has(std::size_t level, int number) const {
      return number >= first[level] && number < end[level];
    }
    friend bool operator==(const Group&, const Group&) = default;
  };
  /// Loops that are tiled together.
  struct Segment {
    int first = 0, end = 0;                          ///< loops
    std::array<int, kMaxDimensions> tiles{1, 1, 1};  ///< how many numbers each level has
    std::vector<Group> groups;                       ///< each behind those that it waits for
    friend bool operator==(const Segment&, const Segment&) = default;
  };

  std::vector<Segment> segments;
  std::vector<std::array<Cut, kMaxDimensions>> loops;  ///< of each loop, by level
  TileSize tile;                                       ///< as asked for
  int threads = 1;
  Grid grid{1, 1, 1};
  int bands = 1;  ///< threads that have one; fewer than threads if bands would be too thin
  friend bool operator==(const Plan&, const Plan&) = default;

  /// The segment of a loop.
  [[nodiscard]] const Segment& segment_of(int loop) const;
  /// The intervals of a tile.
  [[nodiscard]] static std::vector<Interval> of_tile(const Cut& cut, int tile);
};

/// Plans a chain. Throws Error (input) if a temporary field is read before the chain has written
/// it.
[[nodiscard]] Plan make_plan(const Chain& chain, const PlanOptions& options);

/// How much of a chain's work is run in bands, in gaps of one or more levels, and in what is left,
/// in points.
struct PhaseShares {
  double bands = 0, gaps = 0, rest = 0;
  double critical = 0;  ///< points on the longest way through the groups, if all points cost alike
};
[[nodiscard]] PhaseShares phase_shares(const Chain& chain, const Plan& plan);

/// How a chain uses one of its fields.
struct FieldUseInChain {
  bool read_only = false;
  /// All that the chain reads of it was written by the chain before: what it held doesn't matter.
  bool written_first = false;
  int first_loop = -1, last_loop = -1;  ///< that use it
  /// How many points beyond its mesh the chain reads or writes, on each side.
  std::array<int, kMaxDimensions> halo_lo{}, halo_hi{};
};
/// For each field of the chain.
[[nodiscard]] std::vector<FieldUseInChain> field_uses(const Chain& chain);

/// Figure 2 of the paper for one field and one level-0 tile: coordinates of the outermost
/// dimension, as hulls. Empty ones have lo = hi.
struct Footprint {
  Plan::Interval full;        ///< all that the tile's loops access
  Plan::Interval left_edge;   ///< what the tile before accesses, too
  Plan::Interval right_edge;  ///< what the tile after accesses, too
  Plan::Interval left;        ///< full without the right edge
  Plan::Interval right;       ///< full without the left edge
};
/// For each field of the chain. The tiles before and after are those in number, of one group.
[[nodiscard]] std::vector<Footprint> footprints(const Chain& chain, const Plan& plan, int segment,
                                                int tile);

/// How far tiles' bounds move from the first to the last loop of the chain, in x, y and z: the
/// skew.
[[nodiscard]] std::array<int, kMaxDimensions> skew_of(const Chain& chain);

/// Sizes of tiles that are worth a try, the one that should be best first: such that what a tile
/// and its edges access fits the caches of a thread. One of {0, 0, 0} means that tiles don't pay.
[[nodiscard]] std::vector<TileSize> choose_tiles(const Chain& chain, const CacheFigures& caches,
                                                 int threads);

/// In words: segments, groups, the tiles' numbers and sizes, the skew, the shares of the phases,
/// and each field's use.
[[nodiscard]] std::string to_string(const Chain& chain, const Plan& plan);
/// A drawing of one segment in one dimension: loops downwards, coordinates to the right, a colour
/// for each tile and frames around groups.
[[nodiscard]] std::string to_svg(const Chain& chain, const Plan& plan, int segment, int level = 0);

}  // namespace Atoll::stencil
