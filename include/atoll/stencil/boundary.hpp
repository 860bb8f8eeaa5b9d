// Ready boundary conditions. Each queues loops over the halo beyond a face, in the rows of all
// other dimensions and their halos (as deep as `depth`, where the field has them), so that corners
// have the values of the face that was done last.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/stencil/mesh.hpp"

namespace Atoll::stencil {

/// Where a mirror stands.
enum class MirrorAt {
  face,   ///< on the mesh's face: between points for values in cells, on the last point for values
          ///< that are staggered in this dimension
  point,  ///< on the last point within, whatever the field is
};

namespace detail {
/// Throws Error (input) if the dimension is none of the mesh's, or the field has extent 1 there.
void check_face(const FieldStorage& field, Face face);
/// What a boundary condition does.
enum class Boundary { mirror, copy, constant, periodic, exchange };
Offset offset_along(int dimension, int distance);

/// Which layers a loop of a boundary condition sets beyond a face, and from where.
struct BoundaryLayers {
  Boundary kind;
  int first, layers;           ///< 1 is next to the face, 0 the last points within
  int depth;                   ///< of the halo in the other dimensions
  int distance;                ///< to where values come from, in the face's dimension
  Range within = kEverywhere;  ///< only points in it are set
  friend bool operator==(const BoundaryLayers&, const BoundaryLayers&) = default;
};
/// What such a loop declares, the same each time: it is made once, and lasts as long as the field.
struct BoundaryLoop {
  BoundaryLayers layers;
  std::string name;  ///< "mirror density -x"
  Range range;
  FieldUse use;
};
/// Those of a field, by face.
struct BoundaryLoops {
  std::array<std::vector<std::unique_ptr<const BoundaryLoop>>, std::size_t{2} * kMaxDimensions> of;
};
/// Throws check_face()'s errors, and Error (input) if the field's halo hasn't so many layers.
const BoundaryLoop& boundary_loop(FieldStorage& field, Face face, const BoundaryLayers& layers);

/// A kernel that copies the value at an offset.
struct CopyFrom {
  Offset offset;
  template <class F>
  void operator()(F f) const {
    f(0, 0) = f(offset.x, offset.y, offset.z);
  }
};

template <class T>
void copy_layer(const Field<T>& field, Face face, const BoundaryLayers& layers, T factor) {
  const BoundaryLoop& loop = boundary_loop(field.storage(), face, layers);
  const Offset from = offset_along(face.dimension, layers.distance);
  queue_lasting(
      field.storage().mesh(), loop.name, loop.range, loop.use,
      [from, factor](auto f) { f(0, 0) = static_cast<T>(factor * f(from.x, from.y, from.z)); },
      read_write(field, loop.use.stencil));
}
}  // namespace detail

/// Mirrors the field at a face: the k-th layer beyond it is `sign` times the k-th one within.
/// `depth` layers are set, of them the points in `within`. Throws Error (input) if the halo or the
/// mesh hasn't so many.
template <class T>
void mirror(const Field<T>& field, Face face, int depth, int sign = 1, MirrorAt at = MirrorAt::face,
            const Range& within = kEverywhere) {
  const FieldStorage& storage = field.storage();
  detail::check_face(storage, face);
  const auto d = static_cast<std::size_t>(face.dimension);
  const bool on_point = at == MirrorAt::point || storage.options().staggered[d];
  for (int k = 1; k <= depth; ++k) {
    const int distance = on_point ? 2 * k : 2 * k - 1;
    detail::copy_layer(
        field, face,
        {detail::Boundary::mirror, k, 1, depth, face.high ? -distance : distance, within},
        static_cast<T>(sign));
  }
}

/// Sets `depth` layers beyond a face to the value of the last point within.
template <class T>
void copy_outwards(const Field<T>& field, Face face, int depth) {
  detail::check_face(field.storage(), face);
  for (int k = 1; k <= depth; ++k)
    detail::copy_layer(field, face, {detail::Boundary::copy, k, 1, depth, face.high ? -k : k},
                       T{1});
}

/// Sets `depth` layers beyond a face to one value.
template <class T>
void constant(const Field<T>& field, Face face, int depth, std::type_identity_t<T> value) {
  const detail::BoundaryLoop& loop = detail::boundary_loop(
      field.storage(), face, {detail::Boundary::constant, 1, depth, depth, 0});
  detail::queue_lasting(
      field.storage().mesh(), loop.name, loop.range, loop.use, [value](auto f) { f(0, 0) = value; },
      write(field));
}

/// Fills `depth` layers beyond a face of `to` from the field `from` of the mesh that lies there (or
/// the same one), whose opposite face is the same. Both meshes have as many points along the face.
/// Throws Error (input) if they haven't, or a halo isn't so deep.
template <class T>
void exchange(const Field<T>& to, Face face, const Field<T>& from, int depth) {
  FieldStorage &target = to.storage(), &source = from.storage();
  detail::check_face(target, face);
  const auto d = static_cast<std::size_t>(face.dimension);
  if (target.mesh().dimensions() != source.mesh().dimensions() ||
      target.options().staggered != source.options().staggered)
    throw Error::input(target.name(), "is exchanged with " + source.name() + ", which is not alike",
                       "connect fields of equal dimensions and staggering");
  for (int other = 0; other < target.mesh().dimensions(); ++other)
    if (other != face.dimension && target.mesh().size(other) != source.mesh().size(other))
      throw Error::input(target.name(),
                         "is exchanged with " + source.name() + ", whose mesh has another face",
                         "connect faces of equal size");
  const bool periodic = &target == &source;
  const int size =
      face.high ? target.mesh().size(face.dimension) : source.mesh().size(face.dimension);
  const int distance = face.high ? -size : size;
  const Offset offset = detail::offset_along(face.dimension, distance);
  const auto loop_of = [&](int first, int layers) -> const detail::BoundaryLoop& {
    return detail::boundary_loop(
        target, face,
        {periodic ? detail::Boundary::periodic : detail::Boundary::exchange, first, layers, depth,
         distance});
  };
  const auto copy_periodic = [&](const detail::BoundaryLoop& loop) {
    detail::queue_lasting(target.mesh(), loop.name, loop.range, loop.use, detail::CopyFrom{offset},
                          read_write(to, loop.use.stencil));
  };
  (void)loop_of(1, depth);  // throws if it is too deep
  // The last point of a staggered field that is its own neighbour is its first one again.
  if (periodic && face.high && target.options().staggered[d]) copy_periodic(loop_of(0, 1));
  // A halo that is deeper than the mesh is filled part by part, the far ones from the near ones.
  for (int first = 1; first <= depth; first += size) {
    const detail::BoundaryLoop& loop = loop_of(first, std::min(size, depth - first + 1));
    if (periodic)
      copy_periodic(loop);
    else
      detail::queue<true>(
          target.mesh(), loop.name, loop.range,
          [offset](auto f, auto other) { f(0, 0) = other(offset.x, offset.y, offset.z); },
          write(to), read(from, Stencil({offset})));
  }
}

/// Makes the field periodic in a dimension: `depth` layers of halo on both sides are those within
/// of the opposite side. Throws exchange()'s errors.
template <class T>
void periodic(const Field<T>& field, int dimension, int depth) {
  exchange(field, {dimension, false}, field, depth);
  exchange(field, {dimension, true}, field, depth);
}

/// Two meshes that meet: the high face of `low` in a dimension is the low face of `high`.
struct Connection {
  Mesh* low = nullptr;   ///< ends where `high` begins
  Mesh* high = nullptr;  ///< begins there
  int dimension = 0;     ///< across the face
};

/// Fills the halos of two connected meshes' fields from each other, `depth` layers. Throws Error
/// (input) for fields of other meshes, and exchange()'s errors.
template <class T>
void exchange(const Connection& connection, const Field<T>& low, const Field<T>& high, int depth) {
  if (&low.storage().mesh() != connection.low || &high.storage().mesh() != connection.high)
    throw Error::input(low.name(), "is exchanged over a connection of other meshes",
                       "give the fields of the meshes that are connected, the low one first");
  exchange(low, {connection.dimension, true}, high, depth);
  exchange(high, {connection.dimension, false}, low, depth);
}

}  // namespace Atoll::stencil
