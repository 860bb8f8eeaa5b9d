// Stencils as values: the offsets from its own point at which a kernel reads or writes a field.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "atoll/stencil/range.hpp"

namespace Atoll::stencil {

/// Relative position of a point, in points of x, y and z.
struct Offset {
  int x = 0, y = 0, z = 0;
  friend constexpr auto operator<=>(const Offset&, const Offset&) = default;
};

/// The offsets at which a kernel accesses a field; cheap to copy and compare. Equal lists of
/// offsets share one copy, which the process keeps forever. Construction from a list looks this
/// copy up, so construct the stencils of frequently queued loops once in advance.
class Stencil {
 public:
  /// The point itself: only offset (0, 0, 0).
  constexpr Stencil() = default;
  /// These offsets; duplicates are removed. Throws Error (input) if the list is empty.
  Stencil(std::initializer_list<Offset> offsets);
  /// The same from a vector.
  explicit Stencil(std::vector<Offset> offsets);

  /// Minimum and maximum offset in each dimension.
  [[nodiscard]] constexpr const std::array<int, kMaxDimensions>& lo() const { return lo_; }
  [[nodiscard]] constexpr const std::array<int, kMaxDimensions>& hi() const { return hi_; }
  /// True if the stencil contains the offset.
  [[nodiscard]] bool has(Offset offset) const;
  /// True if the stencil contains the point itself only.
  [[nodiscard]] constexpr bool is_point() const {
    return kind_ == Kind::box && lo_ == decltype(lo_){} && hi_ == decltype(hi_){};
  }
  /// Returns the distinct offsets in one dimension, ascending. They determine the tiles' bounds.
  [[nodiscard]] std::vector<int> along(int dimension) const;
  /// Calls work(offset) for each element of along(dimension).
  template <class Work>
  void for_each_along(int dimension, Work&& work) const {
    const auto d = static_cast<std::size_t>(dimension);
    if (kind_ == Kind::list) {
      for (const int at : along(dimension)) work(at);
    } else {
      for (int at = lo_[d]; at <= hi_[d]; ++at) work(at);
    }
  }

  friend constexpr Stencil star(int radius, int dimensions);
  friend constexpr Stencil box(Offset from, Offset to);
  friend std::string to_string(const Stencil& stencil);
  friend constexpr bool operator==(const Stencil& a, const Stencil& b) {
    int differ = static_cast<int>(a.kind_) ^ static_cast<int>(b.kind_);
    for (std::size_t d = 0; d < kMaxDimensions; ++d)
      differ |= (a.lo_[d] ^ b.lo_[d]) | (a.hi_[d] ^ b.hi_[d]);
    return differ == 0 && a.list_ == b.list_;
  }

 private:
  enum class Kind : std::uint8_t { box, star, list };
  std::array<int, kMaxDimensions> lo_{}, hi_{};
  const std::vector<Offset>* list_ = nullptr;  ///< for lists: the copy shared by the process,
                                               ///< ascending
  Kind kind_ = Kind::box;
};

namespace detail {
[[noreturn]] void refuse_radius(int radius);
[[noreturn]] void refuse_box();
[[noreturn]] void refuse_dimension(int dimension);
}  // namespace detail

/// Returns the point and its neighbours up to distance `radius` along each of the first
/// `dimensions` axes. Throws Error (input) for a negative radius.
[[nodiscard]] constexpr Stencil star(int radius, int dimensions) {
  if (radius < 0) detail::refuse_radius(radius);
  Stencil made;
  if (radius > 0) made.kind_ = Stencil::Kind::star;
  for (std::size_t d = 0; d < static_cast<std::size_t>(std::min(dimensions, kMaxDimensions)); ++d) {
    made.lo_[d] = -radius;
    made.hi_[d] = radius;
  }
  return made;
}
/// The same along all axes. Meshes of fewer dimensions ignore the offsets in missing dimensions.
[[nodiscard]] constexpr Stencil star(int radius) {
  return star(radius, kMaxDimensions);
}
/// All points with offsets from `from` to `to`: box({0,0}, {1,1}) are the four corners of a cell.
/// Throws Error (input) if one of `from` is greater.
[[nodiscard]] constexpr Stencil box(Offset from, Offset to) {
  if (from.x > to.x || from.y > to.y || from.z > to.z) detail::refuse_box();
  Stencil made;
  made.lo_ = {from.x, from.y, from.z};
  made.hi_ = {to.x, to.y, to.z};
  return made;
}
/// All points with offsets from -radius to radius in each dimension. Throws Error (input) for a
/// negative radius.
[[nodiscard]] constexpr Stencil box(int radius) {
  if (radius < 0) detail::refuse_radius(radius);
  return box({-radius, -radius, -radius}, {radius, radius, radius});
}
/// The points with offsets from `from` to `to` in one dimension: line(0, -1, 1) is three in x.
/// Throws Error (input) for a dimension that isn't 0, 1 or 2, and if `from` is greater.
[[nodiscard]] constexpr Stencil line(int dimension, int from, int to) {
  if (dimension < 0 || dimension >= kMaxDimensions) detail::refuse_dimension(dimension);
  Offset first, last;
  (dimension == 0 ? first.x : dimension == 1 ? first.y : first.z) = from;
  (dimension == 0 ? last.x : dimension == 1 ? last.y : last.z) = to;
  return box(first, last);
}
/// The point alone.
[[nodiscard]] constexpr Stencil point() {
  return {};
}
/// "{(0,0,0), (1,0,0)}", "star(1)".
[[nodiscard]] std::string to_string(const Stencil& stencil);

}  // namespace Atoll::stencil
