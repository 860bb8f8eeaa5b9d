// Map of pages x threads of an object for the HTML report, in levels. A column of level k sums 4^k
// pages, so a view of any width reads few columns, and the finest level has single pages. Levels
// are divided into tiles, which the page decodes when it shows them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace Atoll::profile {

/// One thread's accesses to the pages of a column.
struct ThreadCount {
  std::uint32_t thread = 0;
  std::uint64_t reads = 0, writes = 0;
};

/// Consecutive accessed pages of an object.
struct PageColumn {
  std::uint64_t first_page = 0;
  struct Touch {
    std::uint32_t thread = 0;
    std::uint64_t pages = 0;
  };
  std::vector<Touch> touched;         ///< number of pages first touched, ascending by thread
  std::vector<ThreadCount> accesses;  ///< ascending by thread

  /// Appends the pages of `next`.
  void add(const PageColumn& next);
};

/// One level, with its tiles from left to right.
struct TileLevel {
  static constexpr std::uint64_t kColumns = 512;  ///< columns of a tile
  std::uint64_t pages_a_column = 1;
  std::vector<std::string> tiles;  ///< deflated; kColumns columns each, the last may have fewer
  std::size_t bytes = 0;           ///< sum over all tiles
};

/// Builds the levels in one pass over an object's pages, in ascending order.
class TilePyramid {
 public:
  /// Levels below `finest` aren't built.
  explicit TilePyramid(int finest);
  void add(const PageColumn& page);
  [[nodiscard]] std::uint64_t pages() const { return pages_; }
  /// Returns the levels, from the finest to the one that is a single tile.
  [[nodiscard]] std::vector<TileLevel> finish();

 private:
  static constexpr std::uint64_t kStep = 4;  ///< columns per column of the next level
  struct Level {
    TileLevel done;
    std::vector<PageColumn> open;  ///< columns of the incomplete tile
    PageColumn sum;                ///< incomplete column of the next level
    std::uint64_t summed = 0;      ///< number of columns in `sum`
  };
  void add(std::size_t level, const PageColumn& column);
  void add_sum_to_next_level(std::size_t level);
  void close_tile(Level& level);

  std::uint64_t pages_ = 0;
  int finest_;
  std::vector<Level> levels_;
};

}  // namespace Atoll::profile
