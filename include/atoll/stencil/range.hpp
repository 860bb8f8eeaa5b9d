// Points of a mesh as a box: what a loop runs over, what it reads and writes.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace Atoll::stencil {

/// The dimensions that a mesh may have at most.
inline constexpr int kMaxDimensions = 3;

/// The points with lo[d] <= point[d] < hi[d] in each dimension d: x, y, z. Point 0 is the first
/// point of a mesh, so halos have negative ones. Dimensions that a mesh lacks have [0, 1).
struct Range {
  std::array<int, kMaxDimensions> lo{0, 0, 0};  ///< the first point
  std::array<int, kMaxDimensions> hi{1, 1, 1};  ///< the point after the last one

  /// A range of one dimension.
  static constexpr Range of(int x0, int x1) { return {{x0, 0, 0}, {x1, 1, 1}}; }
  /// A range of two dimensions.
  static constexpr Range of(int x0, int x1, int y0, int y1) { return {{x0, y0, 0}, {x1, y1, 1}}; }
  /// A range of three dimensions.
  static constexpr Range of(int x0, int x1, int y0, int y1, int z0, int z1) {
    return {{x0, y0, z0}, {x1, y1, z1}};
  }

  /// True if there is no point in it.
  [[nodiscard]] constexpr bool empty() const {
    return hi[0] <= lo[0] || hi[1] <= lo[1] || hi[2] <= lo[2];
  }
  /// The number of points.
  [[nodiscard]] constexpr std::int64_t points() const {
    if (empty()) return 0;
    std::int64_t points = 1;
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      points *= std::int64_t{hi[d]} - std::int64_t{lo[d]};
    return points;
  }
  /// True if the point is in it.
  [[nodiscard]] constexpr bool has(int x, int y, int z) const {
    return x >= lo[0] && x < hi[0] && y >= lo[1] && y < hi[1] && z >= lo[2] && z < hi[2];
  }
  /// The points of both.
  [[nodiscard]] constexpr Range intersect(const Range& other) const {
    Range common;
    for (std::size_t d = 0; d < kMaxDimensions; ++d) {
      common.lo[d] = std::max(lo[d], other.lo[d]);
      common.hi[d] = std::min(hi[d], other.hi[d]);
    }
    return common;
  }
  friend constexpr bool operator==(const Range& a, const Range& b) {
    int differ = 0;  // without branches or a call of memcmp(): queueing compares many
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      differ |= (a.lo[d] ^ b.lo[d]) | (a.hi[d] ^ b.hi[d]);
    return differ == 0;
  }
};

/// Whatever points there are.
inline constexpr Range kEverywhere = [] {
  Range range;
  range.lo.fill(std::numeric_limits<int>::min());
  range.hi.fill(std::numeric_limits<int>::max());
  return range;
}();

/// "[0,960) x [-2,0)": the first `dimensions` ones.
[[nodiscard]] std::string to_string(const Range& range, int dimensions = kMaxDimensions);

}  // namespace Atoll::stencil
