// Restriction and prolongation. They run immediately instead of as loops of a chain, because plans
// support offsets from a loop's own point only, and no ratio between the points of two meshes.
#include "atoll/stencil/transfer.hpp"

#include <fmt/format.h>

#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/stencil/program.hpp"
#include "stencil/bands.hpp"

namespace Atoll::stencil::detail {

void check_ratio(const FieldStorage& coarse, const FieldStorage& fine) {
  const auto refuse = [&](const std::string& what, const std::string& way_out) {
    throw Error::input(fmt::format("'{}' and '{}'", coarse.name(), fine.name()), what, way_out);
  };
  const Mesh &small = coarse.mesh(), &large = fine.mesh();
  if (&small.program() != &large.program())
    refuse("belong to different programs", "give fields of one");
  if (small.dimensions() != large.dimensions() ||
      coarse.options().staggered != fine.options().staggered ||
      coarse.options().components != fine.options().components)
    refuse("are not alike", "both need as many dimensions and components, and equal staggering");
  for (int d = 0; d < small.dimensions(); ++d) {
    if (coarse.flat(d) || fine.flat(d))
      refuse(fmt::format("have extent 1 in dimension {}", d), "give fields of all points");
    if (large.size(d) != 2 * small.size(d))
      refuse(fmt::format("are of meshes of {} and {} points in dimension {}", small.size(d),
                         large.size(d), d),
             "the second mesh needs twice the points of the first");
  }
}

void check_linear(const FieldStorage& coarse) {
  for (std::size_t d = 0; d < static_cast<std::size_t>(coarse.mesh().dimensions()); ++d)
    if (!coarse.options().staggered[d] &&
        (coarse.options().halo.lo[d] < 1 || coarse.options().halo.hi[d] < 1))
      throw Error::input(coarse.name(), fmt::format("has no halo in dimension {}", d),
                         "make it with .halo = 1, or use Prolongation::constant");
}

namespace {

bool is_staggered(const FieldStorage& field, int dimension) {
  return field.options().staggered[static_cast<std::size_t>(dimension)];
}

}  // namespace

Weights restriction_weights(const FieldStorage& coarse, int dimension, int at) {
  if (dimension >= coarse.mesh().dimensions()) return {};
  if (is_staggered(coarse, dimension)) return {1, {2 * at, 0}, {1, 0}};
  return {2, {2 * at, 2 * at + 1}, {0.5, 0.5}};
}

Weights prolongation_weights(const FieldStorage& fine, int dimension, int at, Prolongation how) {
  if (dimension >= fine.mesh().dimensions()) return {};
  const int own = at / 2;
  const bool odd = at % 2 != 0;
  if (is_staggered(fine, dimension))
    return odd ? Weights{2, {own, own + 1}, {0.5, 0.5}} : Weights{1, {own, 0}, {1, 0}};
  if (how == Prolongation::constant) return {1, {own, 0}, {1, 0}};
  return {2, {own, odd ? own + 1 : own - 1}, {0.75, 0.25}};
}

void for_each_row(const FieldStorage& target, const std::function<void(int y, int z)>& row) {
  const Team& team = target.mesh().program().team();
  const Range& points = target.interior();
  const int outer = target.mesh().dimensions() - 1;
  const auto d = static_cast<std::size_t>(outer);
  const std::vector<int> ends = band_ends(target.mesh().size(outer), team.size());
  team.run([&](int thread) {
    const auto band = static_cast<std::size_t>(thread);
    if (band >= ends.size()) return;
    Range rows = points;
    rows.lo[0] = 0, rows.hi[0] = 1;  // a row has all points of x
    if (outer > 0) {
      rows.lo[d] = band == 0 ? points.lo[d] : ends[band - 1];
      rows.hi[d] = band + 1 == ends.size() ? points.hi[d] : ends[band];
    } else if (band > 0) {
      return;
    }
    for (int z = rows.lo[2]; z < rows.hi[2]; ++z)
      for (int y = rows.lo[1]; y < rows.hi[1]; ++y) row(y, z);
  });
}

}  // namespace Atoll::stencil::detail
