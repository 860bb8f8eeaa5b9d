// Declarations of boundary conditions: their ranges, sources and names.
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

void check_halo(const FieldStorage& field, Face face, int first, int layers) {
  const auto d = static_cast<std::size_t>(face.dimension);
  const int has = face.high ? field.options().halo.hi[d] : field.options().halo.lo[d];
  if (layers < 1 || first + layers - 1 > has)
    throw Error::input(field.name(),
                       fmt::format("{} layers of halo are set, it has {}", first + layers - 1, has),
                       "make it with a deeper halo");
}

namespace {

/// Returns the points of layers beyond a face.
Range halo_range(const FieldStorage& field, Face face, int first, int layers, int depth) {
  check_halo(field, face, first, layers);
  const auto d = static_cast<std::size_t>(face.dimension);
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

FieldUse use_of(FieldStorage& field, Face face, const BoundaryLayers& layers) {
  if (layers.kind == Boundary::constant || layers.kind == Boundary::exchange)
    return {&field, AccessMode::write, {}};
  return {&field, AccessMode::read_write, Stencil({offset_along(face.dimension, layers.distance)})};
}

}  // namespace

MirroredLayer mirrored_layer(int k, int points, bool on_point) {
  if (on_point && points == 1) return {0, 1};  // both mirrors are on the only point
  // The position reflects from one mirror to the other and back; a mirror on a point doesn't repeat
  // it.
  const int half = on_point ? points - 1 : points;
  const int passed = (k - 1) / half, rest = (k - 1) % half;
  const int layer = on_point ? rest + 1 : rest;
  return {passed % 2 == 0 ? layer : points - 1 - layer, passed + 1};
}

BoundaryLoop::BoundaryLoop(FieldStorage& field, Face at, const BoundaryLayers& which,
                           const LoopCode* with)
    : DeclaredLoop{with, &field.mesh(), {}, {}, &use, nullptr, true},
      layers(which),
      face(at),
      use(use_of(field, at, which)) {
  constexpr const char* kKinds[] = {"mirror", "copy", "constant", "periodic", "exchange"};
  text = fmt::format("{} {} {}{}", kKinds[static_cast<std::size_t>(which.kind)], field.name(),
                     at.high ? '+' : '-', "xyz"[at.dimension]);
  name = text;
  range = halo_range(field, at, which.first, which.layers, which.depth).intersect(which.within);
}

const BoundaryLoop& boundary_loop(FieldStorage& field, Face face, const BoundaryLayers& layers,
                                  const LoopCode* code) {
  check_face(field, face);
  auto& known = field.boundary_loops().of[static_cast<std::size_t>(2 * face.dimension + face.high)];
  for (const auto& loop : known)
    if (loop->is(field, face, layers)) return *loop;
  known.push_back(std::make_unique<const BoundaryLoop>(field, face, layers, code));
  return *known.back();
}

}  // namespace Atoll::stencil::detail
