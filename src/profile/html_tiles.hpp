// Pages x threads of an object for the HTML report, in levels. A column of level k sums 4^k pages,
// so a view of any width reads few columns, and the finest level has single pages. Levels are cut
// into tiles, which the page decodes when it shows them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Atoll::profile {

/// What one thread did to the pages of a column.
struct ThreadCount {
  std::uint32_t thread = 0;
  std::uint64_t reads = 0, writes = 0;
};

/// Neighbouring accessed pages of an object.
struct PageColumn {
  std::uint64_t first_page = 0;
  struct Touch {
    std::uint32_t thread = 0;
    std::uint64_t pages = 0;
  };
  std::vector<Touch> touched;  ///< for how many pages each thread was first; ascending by thread
  std::vector<ThreadCount> accesses;  ///< ascending by thread

  /// Adds the pages that follow.
  void add(const PageColumn& next);
};

/// One level, its tiles from left to right.
struct TileLevel {
  static constexpr std::uint64_t kColumns = 512;  ///< of a tile
  std::uint64_t pages_a_column = 1;
  std::vector<std::string> tiles;  ///< deflated; kColumns columns each, fewer the last
  std::size_t bytes = 0;           ///< of all tiles
};

/// Makes the levels while an object's pages pass in ascending order.
class TilePyramid {
 public:
  /// Levels below `finest` aren't made.
  explicit TilePyramid(int finest);
  void add(const PageColumn& page);
  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  /// Returns the levels, from the finest to the one that is a single tile.
  [[nodiscard]] std::vector<TileLevel> finish();

 private:
  static constexpr std::uint64_t kStep = 4;  ///< columns of a level in one of the next
  struct Level {
    TileLevel done;
    std::vector<PageColumn> open;  ///< of the tile that is being filled
    PageColumn sum;                ///< of the next level's column
    std::uint64_t summed = 0;      ///< how many columns `sum` has
  };
  void add(std::size_t level, const PageColumn& column);
  void carry(std::size_t level);
  void close_tile(Level& level);

  std::uint64_t pages_ = 0;
  int finest_;
  std::vector<Level> levels_;
};

}  // namespace Atoll::profile
