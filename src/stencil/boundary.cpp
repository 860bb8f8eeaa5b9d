// Where boundary conditions apply.
#include "atoll/stencil/boundary.hpp"

#include <fmt/format.h>

namespace Atoll::stencil::detail {

void check_face(const FieldStorage& field, Face face) {
  if (face.dimension < 0 || face.dimension >= field.mesh().dimensions())
    throw Error::input(field.name(), fmt::format("its mesh has no dimension {}", face.dimension),
                       fmt::format("it has {}", field.mesh().dimensions()));
  if (field.flat(face.dimension))
    throw Error::input(field.name(), fmt::format("has extent 1 in dimension {}", face.dimension),
                       "it needs no boundary condition there");
}

namespace {

/// The points of layers beyond a face.
Range halo_range(const FieldStorage& field, Face face, int first, int layers, int depth) {
  const auto d = static_cast<std::size_t>(face.dimension);
  const int has = face.high ? field.options().halo.hi[d] : field.options().halo.lo[d];
  if (layers < 1 || first + layers - 1 > has)
    throw Error::input(field.name(),
                       fmt::format("{} layers of halo are set, it has {}", first + layers - 1, has),
                       "make it with a deeper halo");
  Range range = field.interior();
  for (std::size_t other = 0; other < kMaxDimensions; ++other) {
    range.lo[other] = std::max(range.lo[other] - depth, field.whole().lo[other]);
    range.hi[other] = std::min(range.hi[other] + depth, field.whole().hi[other]);
  }
  if (face.high) {
    range.lo[d] = field.interior().hi[d] + first - 1;
    range.hi[d] = range.lo[d] + layers;
  } else {
    range.hi[d] = field.interior().lo[d] - first + 1;
    range.lo[d] = range.hi[d] - layers;
  }
  return range;
}

auto& loops_at(FieldStorage& field, Face face) {
  return field.boundary_loops().of[static_cast<std::size_t>(2 * face.dimension + face.high)];
}

const BoundaryLoop& make_loop(FieldStorage& field, Face face, const BoundaryLayers& layers) {
  constexpr const char* kKinds[] = {"mirror", "copy", "constant", "periodic", "exchange"};
  const bool writes = layers.kind == Boundary::constant || layers.kind == Boundary::exchange;
  BoundaryLoop loop{
      layers,
      fmt::format("{} {} {}{}", kKinds[static_cast<std::size_t>(layers.kind)], field.name(),
                  face.high ? '+' : '-', "xyz"[face.dimension]),
      halo_range(field, face, layers.first, layers.layers, layers.depth).intersect(layers.within),
      {&field, writes ? Access::write : Access::read_write,
       writes ? Stencil{} : Stencil({offset_along(face.dimension, layers.distance)})}};
  auto& known = loops_at(field, face);
  known.push_back(std::make_unique<const BoundaryLoop>(std::move(loop)));
  return *known.back();
}

}  // namespace

const BoundaryLoop& boundary_loop(FieldStorage& field, Face face, const BoundaryLayers& layers) {
  check_face(field, face);
  for (const auto& loop : loops_at(field, face))
    if (loop->layers == layers) return *loop;
  return make_loop(field, face, layers);
}

Offset offset_along(int dimension, int distance) {
  Offset offset;
  (dimension == 0 ? offset.x : dimension == 1 ? offset.y : offset.z) = distance;
  return offset;
}

}  // namespace Atoll::stencil::detail
