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

std::string_view boundary_name(Boundary kind, const FieldStorage& field, Face face) {
  static constexpr const char* kKinds[] = {"mirror", "copy", "constant", "periodic", "exchange"};
  const auto which = static_cast<std::size_t>(kind);
  const std::size_t sides = std::size_t{2} * kMaxDimensions;
  std::vector<std::string>& names = field.boundary_names();
  if (names.empty()) names.resize(std::size(kKinds) * sides);
  std::string& name =
      names[which * sides + static_cast<std::size_t>(2 * face.dimension + (face.high ? 1 : 0))];
  if (name.empty())
    name = fmt::format("{} {} {}{}", kKinds[which], field.name(), face.high ? '+' : '-',
                       "xyz"[face.dimension]);
  return name;
}

Offset offset_along(int dimension, int distance) {
  Offset offset;
  (dimension == 0 ? offset.x : dimension == 1 ? offset.y : offset.z) = distance;
  return offset;
}

}  // namespace Atoll::stencil::detail
