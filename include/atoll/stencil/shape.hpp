// Stencils as values: at which offsets from its own point a kernel reads or writes a field.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "atoll/stencil/range.hpp"

namespace Atoll::stencil {

/// A point as seen from another one, in points of x, y and z.
struct Offset {
  int x = 0, y = 0, z = 0;
  friend constexpr auto operator<=>(const Offset&, const Offset&) = default;
};

/// The offsets at which a kernel accesses a field. Making one of the named shapes takes no memory;
/// a list of offsets does, so that a loop that is queued often has its lists made before.
class Stencil {
 public:
  /// The point itself: offset (0,0,0) alone.
  constexpr Stencil() = default;
  /// These offsets. Throws Error (input) if there is none. Twice the same one counts once.
  Stencil(std::initializer_list<Offset> offsets);
  /// The same, from a vector.
  explicit Stencil(std::vector<Offset> offsets);

  /// The least and the greatest offset in each dimension.
  [[nodiscard]] const std::array<int, kMaxDimensions>& lo() const { return lo_; }
  [[nodiscard]] const std::array<int, kMaxDimensions>& hi() const { return hi_; }
  /// True if this offset is one of them.
  [[nodiscard]] bool has(Offset offset) const;
  /// True if the point itself is the only one.
  [[nodiscard]] bool is_point() const {
    return kind_ == Kind::box && lo_ == decltype(lo_){} && hi_ == decltype(hi_){};
  }
  /// Its offsets in one dimension, ascending, each once: what tiles' bounds depend on.
  [[nodiscard]] std::vector<int> along(int dimension) const;
  /// A number that equal stencils share; different ones rarely do.
  [[nodiscard]] std::uint64_t key() const { return key_; }

  friend Stencil star(int radius);
  friend Stencil star(int radius, int dimensions);
  friend Stencil box(int radius);
  friend Stencil box(Offset from, Offset to);
  friend Stencil line(int dimension, int from, int to);
  friend std::string to_string(const Stencil& stencil);
  friend bool operator==(const Stencil& a, const Stencil& b);

 private:
  enum class Kind : std::uint8_t { box, star, list };
  std::array<int, kMaxDimensions> lo_{}, hi_{};
  void make_key();

  Kind kind_ = Kind::box;
  std::uint64_t key_ = 0;
  std::shared_ptr<const std::vector<Offset>> list_;  ///< of a list: ascending
};

/// The point, and `radius` points in both directions of each dimension. On meshes of fewer
/// dimensions the offsets in the others don't count.
[[nodiscard]] Stencil star(int radius);
/// The same for the first `dimensions` dimensions alone.
[[nodiscard]] Stencil star(int radius, int dimensions);
/// All points with offsets from -radius to radius in each dimension.
[[nodiscard]] Stencil box(int radius);
/// All points with offsets from `from` to `to`: box({0,0}, {1,1}) are the four corners of a cell.
[[nodiscard]] Stencil box(Offset from, Offset to);
/// The points with offsets from `from` to `to` in one dimension: line(0, -1, 1) is three in x.
[[nodiscard]] Stencil line(int dimension, int from, int to);
/// The point alone.
[[nodiscard]] inline Stencil point() {
  return {};
}
/// "{(0,0,0), (1,0,0)}", "star(1)".
[[nodiscard]] std::string to_string(const Stencil& stencil);

}  // namespace Atoll::stencil
