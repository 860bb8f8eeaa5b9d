// Access to neighbouring values for kernels that are common to 2D, 3D and all directions.
#pragma once

namespace clover {

/// Returns the value of `f` at offset (x, y) in 2D, (x, y, z) in 3D.
template <int D, class F>
decltype(auto) at(const F& f, int x, int y, [[maybe_unused]] int z) {
  if constexpr (D == 2)
    return f(x, y);
  else
    return f(x, y, z);
}

/// Returns the value at offset `steps` along the axis.
template <int D, int Axis, class F>
decltype(auto) along(const F& f, int steps) {
  return at<D>(f, Axis == 0 ? steps : 0, Axis == 1 ? steps : 0, Axis == 2 ? steps : 0);
}

/// Returns the sum of `f` at the four (2D) or eight (3D) corners with offsets `first` and `first` +
/// 1.
template <int D, class F>
double corners(const F& f, int first) {
  const int last = first + 1;
  if constexpr (D == 2)
    return f(first, first) + f(last, first) + f(first, last) + f(last, last);
  else
    return f(first, first, first) + f(last, first, first) + f(first, last, first) +
           f(last, last, first) + f(first, first, last) + f(last, first, last) +
           f(first, last, last) + f(last, last, last);
}

/// Returns the sum over the corners of a face: offset `side` along the axis, offsets `first` and
/// `first` + 1 along the others.
template <int D, int Axis, class F>
double face(const F& f, int side, int first) {
  const int last = first + 1;
  if constexpr (D == 2)
    return Axis == 0 ? f(side, first) + f(side, last) : f(first, side) + f(last, side);
  else if constexpr (Axis == 0)
    return f(side, first, first) + f(side, last, first) + f(side, first, last) +
           f(side, last, last);
  else if constexpr (Axis == 1)
    return f(first, side, first) + f(last, side, first) + f(first, side, last) +
           f(last, side, last);
  else
    return f(first, first, side) + f(last, first, side) + f(first, last, side) +
           f(last, last, side);
}

}  // namespace clover
