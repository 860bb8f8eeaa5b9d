// Boxes of mesh points: the iteration range of a loop, the points that it reads or writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace Atoll::stencil {

/// Maximum number of dimensions of a mesh.
inline constexpr int kMaxDimensions = 3;

/// The points with lo[d] <= point[d] < hi[d] in each dimension d (0 is x, 1 is y, 2 is z). Point 0
/// is the first point of a mesh, so the halo before it has negative coordinates. In dimensions that
/// a mesh lacks, the range is [0, 1).
struct Range {
  std::array<int, kMaxDimensions> lo{0, 0, 0};  ///< first point
  std::array<int, kMaxDimensions> hi{1, 1, 1};  ///< one past the last point

  /// A range of one dimension.
  static constexpr Range of(int x0, int x1) { return {{x0, 0, 0}, {x1, 1, 1}}; }
  /// A range of two dimensions.
  static constexpr Range of(int x0, int x1, int y0, int y1) { return {{x0, y0, 0}, {x1, y1, 1}}; }
  /// A range of three dimensions.
  static constexpr Range of(int x0, int x1, int y0, int y1, int z0, int z1) {
    return {{x0, y0, z0}, {x1, y1, z1}};
  }

  /// True if the range has no points.
  [[nodiscard]] constexpr bool empty() const {
    return hi[0] <= lo[0] || hi[1] <= lo[1] || hi[2] <= lo[2];
  }
  /// Number of points.
  [[nodiscard]] constexpr std::int64_t points() const {
    if (empty()) return 0;
    std::int64_t points = 1;
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      points *= std::int64_t{hi[d]} - std::int64_t{lo[d]};
    return points;
  }
  /// True if the range contains the point.
  [[nodiscard]] constexpr bool has(int x, int y, int z) const {
    return x >= lo[0] && x < hi[0] && y >= lo[1] && y < hi[1] && z >= lo[2] && z < hi[2];
  }
  /// Returns the intersection of two ranges.
  [[nodiscard]] constexpr Range intersect(const Range& other) const {
    Range common;
    for (std::size_t d = 0; d < kMaxDimensions; ++d) {
      common.lo[d] = std::max(lo[d], other.lo[d]);
      common.hi[d] = std::min(hi[d], other.hi[d]);
    }
    return common;
  }
  friend constexpr bool operator==(const Range& a, const Range& b) {
    int differ = 0;  // Without branches or memcmp(): queueing compares many ranges.
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      differ |= (a.lo[d] ^ b.lo[d]) | (a.hi[d] ^ b.hi[d]);
    return differ == 0;
  }
};

/// The range of all points with `int` coordinates.
inline constexpr Range kEverywhere = [] {
  Range range;
  range.lo.fill(std::numeric_limits<int>::min());
  range.hi.fill(std::numeric_limits<int>::max());
  return range;
}();

/// Returns the first `dimensions` intervals as text, for example "[0,960) x [-2,0)".
[[nodiscard]] std::string to_string(const Range& range, int dimensions = kMaxDimensions);

}  // namespace Atoll::stencil
