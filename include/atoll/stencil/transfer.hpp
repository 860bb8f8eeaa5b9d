// Transfer of fields between a coarse mesh and a fine one with twice as many points in each
// dimension, for multigrid methods. For values in cells, coarse point i covers fine points 2i and
// 2i + 1; in a staggered dimension, coarse point i is fine point 2i.
#pragma once

#include <array>
#include <functional>
#include <type_traits>

#include "atoll/stencil/mesh.hpp"

namespace Atoll::stencil {

/// Interpolation of fine cells from coarse cells.
enum class Prolongation {
  constant,  ///< value of the coarse cell
  linear,    ///< linear between the centres of coarse cells; needs one layer of coarse halo with
             ///< valid values
};

namespace detail {
/// Points of the other mesh along one dimension, and their weights.
struct Weights {
  int count = 1;
  std::array<int, 2> at{0, 0};
  std::array<double, 2> weight{1, 0};
};
/// Throws Error (input) unless the fields have equal dimensions, components and staggering and the
/// meshes a ratio of 2.
void check_ratio(const FieldStorage& coarse, const FieldStorage& fine);
/// Throws Error (input) unless the field has a halo layer in each dimension that isn't staggered.
void check_linear(const FieldStorage& coarse);
[[nodiscard]] Weights restriction_weights(const FieldStorage& coarse, int dimension, int at);
[[nodiscard]] Weights prolongation_weights(const FieldStorage& fine, int dimension, int at,
                                           Prolongation how);
/// Calls row(y, z) for each row of the field without its halo, on the thread whose node has the
/// row's memory.
void for_each_row(const FieldStorage& target, const std::function<void(int y, int z)>& row);

/// Sets each point of `to` to a weighted sum of points of `from`.
template <class T, class WeightsOf>
void transfer(const Field<T>& to, const Field<T>& from, const WeightsOf& weights_of) {
  const View<T> target = to.edit();
  const View<const T> source = from.view();
  const Range& points = to.storage().interior();
  for_each_row(to.storage(), [&](int y, int z) {
    const Weights in_y = weights_of(1, y), in_z = weights_of(2, z);
    for (int x = points.lo[0]; x < points.hi[0]; ++x) {
      const Weights in_x = weights_of(0, x);
      for (int c = 0; c < to.storage().options().components; ++c) {
        double sum = 0;
        for (std::size_t k = 0; k < static_cast<std::size_t>(in_z.count); ++k)
          for (std::size_t j = 0; j < static_cast<std::size_t>(in_y.count); ++j)
            for (std::size_t i = 0; i < static_cast<std::size_t>(in_x.count); ++i)
              sum += in_z.weight[k] * in_y.weight[j] * in_x.weight[i] *
                     source(in_x.at[i], in_y.at[j], in_z.at[k], c);
        target(x, y, z, c) = static_cast<T>(sum);
      }
    }
  });
}
}  // namespace detail

/// Sets a coarse field, without its halo, from a fine one: the mean of the fine cells of each
/// coarse cell, or in staggered dimensions the fine point at the same position. Runs the queued
/// loops first, so the chain ends. Throws Error (input) unless both fields belong to one program,
/// have no dimension of extent 1, and have equal staggering and components, and the fine mesh has
/// twice the points in each dimension.
template <Element T>
void restrict_to(const Field<T>& coarse, const Field<T>& fine) {
  static_assert(std::is_floating_point_v<T>, "means of integers would be truncated");
  detail::check_ratio(coarse.storage(), fine.storage());
  detail::transfer(coarse, fine, [&](int dimension, int at) {
    return detail::restriction_weights(coarse.storage(), dimension, at);
  });
}

/// Sets a fine field, without its halo, from a coarse one. In staggered dimensions, a fine point
/// between two coarse points becomes their mean. Runs the queued loops first, so the chain ends.
/// Throws Error (input) as restrict_to() does, and for linear prolongation of cell values without a
/// halo.
template <Element T>
void prolong_to(const Field<T>& fine, const Field<T>& coarse,
                Prolongation how = Prolongation::linear) {
  static_assert(std::is_floating_point_v<T>, "means of integers would be truncated");
  detail::check_ratio(coarse.storage(), fine.storage());
  if (how == Prolongation::linear) detail::check_linear(coarse.storage());
  detail::transfer(fine, coarse, [&](int dimension, int at) {
    return detail::prolongation_weights(fine.storage(), dimension, at, how);
  });
}

}  // namespace Atoll::stencil
