// The plan of a chain of loops, as a value [out-of-core §3, Figure 2]: how each loop is cut into
// tiles such that each tile runs all loops of the chain in order, and which tiles may run
// concurrently. Planning is a pure function of chain and machine. docs/stencil.md explains the
// choice.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "atoll/machine/machine.hpp"
#include "atoll/stencil/arguments.hpp"
#include "atoll/stencil/options.hpp"
#include "atoll/stencil/range.hpp"
#include "atoll/stencil/shape.hpp"

namespace Atoll::stencil {

/// A mesh, as input of planning.
struct ChainMesh {
  std::string name;
  int dimensions = 1;
  Range interior;
  friend bool operator==(const ChainMesh&, const ChainMesh&) = default;
};
/// A field, as input of planning.
struct ChainField {
  std::string name;
  int mesh = 0;                             ///< index in Chain::meshes
  Range whole;                              ///< with the halo
  std::array<bool, kMaxDimensions> flat{};  ///< extent 1
  std::uint64_t point_bytes = 8;            ///< bytes of all components together
  bool temporary = false;
  friend bool operator==(const ChainField&, const ChainField&) = default;
};
/// A loop's use of a field.
struct ChainAccess {
  int field = 0;  ///< index in Chain::fields
  AccessMode access = AccessMode::read;
  Stencil stencil;
  /// True for a read_write access that copies the value at the stencil's only offset to each point,
  /// as boundary conditions do.
  bool copies = false;
  friend bool operator==(const ChainAccess&, const ChainAccess&) = default;
};
/// A loop, as input of planning.
struct ChainLoop {
  std::string name;
  int mesh = 0;
  Range range;
  std::vector<ChainAccess> accesses;
  /// If not 0, tiles are cut only at multiples of this many points in x, from the range's first
  /// point. Sums need it.
  int whole_blocks = 0;
  friend bool operator==(const ChainLoop&, const ChainLoop&) = default;
};
/// A sequence of loops that are planned and run together.
struct Chain {
  std::vector<ChainMesh> meshes;
  std::vector<ChainField> fields;
  std::vector<ChainLoop> loops;
  friend bool operator==(const Chain&, const Chain&) = default;
};

/// Number of bands of each level. Threads form a grid: each has one band in every level.
using Grid = std::array<int, kMaxDimensions>;

/// Options of planning.
struct PlanOptions {
  int threads = 1;
  Mode mode = Mode::tiled;  ///< `checked` is planned like `untiled`
  TileSize tile;            ///< 0 in a dimension means not cut there
  Grid grid{0, 0, 0};       ///< zeros mean chosen. Other values are for tests; each level must have
                            ///< at least as many coordinates
  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// Execution plan of a chain: segments of loops that are tiled together. Dimensions are called
/// levels and counted from the outermost one: level 0 is z in three dimensions, y in two, x in one.
/// Levels are cut into bands (mainly level 0), and bands into tiles.
///
/// A tile is a triple of numbers, one for each level. One thread runs the tiles of a group in
/// ascending order (level 0, then 1, then 2). Each tile runs its part of all loops of the segment
/// in order. A group starts after all groups in its `after` list. Segments run one after the other.
struct Plan {
  /// Coordinates lo <= i < hi.
  struct Interval {
    int lo = 0, hi = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };
  /// A loop in one level: the coordinates that each tile runs. Consecutive tiles whose coordinates
  /// differ by a constant distance are stored once, so long meshes need no more memory than short
  /// ones.
  class Cut {
   public:
    /// Coordinates of a tile: each interval, moved by `shift`. Valid as long as the cut.
    struct Tile {
      std::span<const Interval> intervals;
      int shift = 0;
    };
    /// Adds the next tile. Its intervals are ascending and disjoint.
    void add(std::span<const Interval> intervals);
    [[nodiscard]] int tiles() const { return runs_.empty() ? 0 : runs_.back().end; }
    [[nodiscard]] Tile of(int tile) const {
      const Run* run = runs_.data();
      for (; tile >= run->end; ++run) {
      }
      return {{intervals_.data() + run->first, run->count}, run->step * (tile - run->begin)};
    }
    /// Sets `before` to the number of coordinates before each tile, and of all tiles at the end.
    void add_up(std::vector<double>& before) const;
    /// Memory of its lists in bytes.
    [[nodiscard]] std::uint64_t bytes() const;
    friend bool operator==(const Cut&, const Cut&) = default;

   private:
    /// Tiles begin <= t < end. The intervals of tile t are those of tile `begin`, moved by
    /// step x (t - begin).
    struct Run {
      int begin = 0, end = 0, step = 0;
      std::uint32_t first = 0, count = 0;  ///< of the intervals of tile `begin`
      friend bool operator==(const Run&, const Run&) = default;
    };
    std::vector<Run> runs_;
    std::vector<Interval> intervals_;
  };
  using Cuts = std::array<Cut, kMaxDimensions>;  ///< of one loop, by level
  /// Tiles that one thread runs one after the other.
  struct Group {
    static constexpr int kLeft = kMaxDimensions + 2;
    std::array<int, kMaxDimensions> first{}, end{};  ///< tile numbers in each level
    int thread = 0;                                  ///< thread that runs the group
    /// 1: a band in all levels, plus 1 for each level in which the group is in the gap between two
    /// bands. kLeft: the remainder in some level.
    int phase = 1;
    std::vector<int> after;  ///< groups of the segment that must be done before this one starts
    [[nodiscard]] bool has(std::size_t level, int number) const {
      return number >= first[level] && number < end[level];
    }
    friend bool operator==(const Group&, const Group&) = default;
  };
  /// The tiles of a segment. Equal segments share one.
  struct Tiling {
    Grid grid{1, 1, 1};
    int bands = 1;  ///< number of threads that have a band; below `threads` if bands would be too
                    ///< thin
    std::array<int, kMaxDimensions> tiles{1, 1, 1};  ///< number of tiles in each level
    std::vector<Group> groups;                       ///< topologically sorted: each after the
                                                     ///< groups that it waits for
    std::vector<Cuts> loops;                         ///< for each loop of the segment
    friend bool operator==(const Tiling&, const Tiling&) = default;
  };
  /// Why a segment ends.
  enum class End {
    chain,    ///< the chain ends
    alone,    ///< a loop before or after writes a field of extent 1 and has its own segment
    skew,     ///< the skew of more loops would be too large for the tiles or bands
    untiled,  ///< loops run one after the other
  };
  /// Loops that are tiled together.
  struct Segment {
    int first = 0, end = 0;  ///< indices of loops
    End why = End::chain;
    std::uint64_t live_bytes = 0;  ///< of fields that are written before the end and read after it
    std::shared_ptr<const Tiling> tiling;
    [[nodiscard]] const Cuts& cuts(int loop) const {
      return tiling->loops[static_cast<std::size_t>(loop - first)];
    }
    friend bool operator==(const Segment& a, const Segment& b) {
      return a.first == b.first && a.end == b.end && a.why == b.why &&
             a.live_bytes == b.live_bytes && *a.tiling == *b.tiling;
    }
  };

  std::vector<Segment> segments;
  TileSize tile;  ///< as requested
  int threads = 1;
  friend bool operator==(const Plan&, const Plan&) = default;

  /// Returns the segment that contains the loop.
  [[nodiscard]] const Segment& segment_of(int loop) const;
  /// Returns the maximum number of bands of its segments.
  [[nodiscard]] int bands() const;
  /// Returns the intervals of a tile.
  [[nodiscard]] static std::vector<Interval> of_tile(const Cut& cut, int tile);
};

/// Plans a chain. Throws Error (input) if a temporary field is read before the chain has written
/// it.
[[nodiscard]] Plan make_plan(const Chain& chain, const PlanOptions& options);

/// Points of a chain that are run in bands, in gaps (in one or more levels), and in remainders.
struct PhaseShares {
  double bands = 0, gaps = 0, rest = 0;
  double critical = 0;  ///< points on the critical path of the groups, if all points cost the same
};
[[nodiscard]] PhaseShares phase_shares(const Chain& chain, const Plan& plan);

/// Use of one field in a chain.
struct FieldUseInChain {
  bool read_only = false;
  /// True if the chain writes all points before it reads them, so that the previous content is
  /// irrelevant.
  bool written_first = false;
  int first_loop = -1, last_loop = -1;  ///< first and last loop that access it; -1 if none
  /// Number of points beyond the mesh that the chain reads or writes, on each side.
  std::array<int, kMaxDimensions> halo_lo{}, halo_hi{};
};
/// Returns one element for each field of the chain.
[[nodiscard]] std::vector<FieldUseInChain> field_uses(const Chain& chain);

/// A set of coordinates: ascending, disjoint intervals that don't touch.
using Intervals = std::vector<Plan::Interval>;

/// Figure 2 of the paper for one field and one tile of level 0: coordinates in the outermost
/// dimension. On a periodic mesh, the last tile also accesses the first coordinates.
struct Footprint {
  Intervals full;        ///< all coordinates that the tile's loops access
  Intervals left_edge;   ///< part of `full` that the tile before also accesses
  Intervals right_edge;  ///< part of `full` that the tile after also accesses
  Intervals left;        ///< `full` without the right edge
  Intervals right;       ///< `full` without the left edge
};
/// Returns one element for each field of the chain. The tiles before and after are the neighbours
/// by number in the same group.
[[nodiscard]] std::vector<Footprint> footprints(const Chain& chain, const Plan& plan, int segment,
                                                int tile);

/// Distance in x, y and z that a tile's bounds move from the first to the last loop of a chain.
using Skew = std::array<int, kMaxDimensions>;
[[nodiscard]] Skew skew_of(const Chain& chain);

/// Caches that the data of tiles may fit.
struct TileCaches {
  CacheFigures processor;
  std::uint64_t memory_side_bytes = 0;  ///< of all memory-side caches together [out-of-core §4]
};
[[nodiscard]] TileCaches tile_caches(const Machine& machine);

/// Returns candidate tile sizes, most promising first, such that the data that a tile and its edges
/// access fit a thread's share of a cache. {0, 0, 0} alone means that tiling would not save time.
[[nodiscard]] std::vector<TileSize> choose_tiles(const Chain& chain, const TileCaches& caches,
                                                 int threads);

/// Returns a description: segments, groups, numbers and sizes of tiles, the skew, the shares of the
/// phases, and each field's use.
[[nodiscard]] std::string to_string(const Chain& chain, const Plan& plan);
/// Returns a drawing of one segment in one level: loops downwards, coordinates to the right, a
/// colour for each tile and frames around groups.
[[nodiscard]] std::string to_svg(const Chain& chain, const Plan& plan, int segment, int level = 0);

}  // namespace Atoll::stencil
