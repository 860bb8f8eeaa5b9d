// Fourth-order central differences on a uniform mesh, relative to a kernel's point.
#pragma once

namespace taylor_green {

/// Returns the value at offset k along axis A.
template <int A, class F>
[[gnu::always_inline]] inline double along(const F& f, int k) {
  if constexpr (A == 0)
    return f(k, 0, 0);
  else if constexpr (A == 1)
    return f(0, k, 0);
  else
    return f(0, 0, k);
}

/// Weights for a mesh with this spacing, of the points at distance 1 and 2.
struct Weights {
  double near1, near2;     ///< for first derivatives
  double mid, far1, far2;  ///< for second derivatives
  explicit Weights(double h)
      : near1(8 / (12 * h)),
        near2(-1 / (12 * h)),
        mid(-30 / (12 * h * h)),
        far1(16 / (12 * h * h)),
        far2(-1 / (12 * h * h)) {}
};

/// First derivative along axis A.
template <int A, class F>
[[gnu::always_inline]] inline double first(const Weights& w, const F& f) {
  return w.near1 * (along<A>(f, 1) - along<A>(f, -1)) +
         w.near2 * (along<A>(f, 2) - along<A>(f, -2));
}
/// First derivative of the product of two fields.
template <int A, class F, class G>
[[gnu::always_inline]] inline double first_of_product(const Weights& w, const F& f, const G& g) {
  return w.near1 * (along<A>(f, 1) * along<A>(g, 1) - along<A>(f, -1) * along<A>(g, -1)) +
         w.near2 * (along<A>(f, 2) * along<A>(g, 2) - along<A>(f, -2) * along<A>(g, -2));
}
/// Second derivative along axis A.
template <int A, class F>
[[gnu::always_inline]] inline double second(const Weights& w, const F& f) {
  return w.mid * f(0, 0, 0) + w.far1 * (along<A>(f, 1) + along<A>(f, -1)) +
         w.far2 * (along<A>(f, 2) + along<A>(f, -2));
}

}  // namespace taylor_green
