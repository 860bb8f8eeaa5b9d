// Predefined boundary conditions. Each queues loops over the halo beyond a face. In the other
// dimensions, a loop also covers the halo (up to `depth`), so that corners get the values of the
// face that was set last.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "atoll/base/error.hpp"
#include "atoll/stencil/mesh.hpp"

namespace Atoll::stencil {

/// Position of the mirror plane.
enum class MirrorAt {
  face,   ///< on the mesh's face: half a spacing beyond the last point for values in cells, on the
          ///< last point for values that are staggered in this dimension
  point,  ///< on the last point of the interior, staggered or not
};

namespace detail {
/// Throws Error (input) if the mesh lacks the dimension, or the field has extent 1 in it.
void check_face(const FieldStorage& field, Face face);
/// Throws Error (input) if `layers` is below 1 or the field's halo has too few layers.
void check_halo(const FieldStorage& field, Face face, int first, int layers);
/// Kind of a boundary condition.
enum class Boundary { mirror, copy, constant, periodic, exchange };
constexpr Offset offset_along(int dimension, int distance) {
  return {dimension == 0 ? distance : 0, dimension == 1 ? distance : 0,
          dimension == 2 ? distance : 0};
}

/// The layers beyond a face that one loop of a boundary condition sets, and their source.
struct BoundaryLayers {
  Boundary kind;
  int first, layers;           ///< 1 is the layer next to the face, 0 the last one of the interior
  int depth;                   ///< depth of the halo in the other dimensions
  int distance;                ///< to the source of the values, in the face's dimension, in points
  Range within = kEverywhere;  ///< only points in this range are set
  friend bool operator==(const BoundaryLayers&, const BoundaryLayers&) = default;
};
/// Declaration of one loop of a boundary condition. It is the same each time, so it is created once
/// and kept as long as the field.
struct BoundaryLoop : DeclaredLoop {
  BoundaryLoop(FieldStorage& field, Face at, const BoundaryLayers& which, const LoopCode* with);
  BoundaryLoop(const BoundaryLoop&) = delete;
  BoundaryLoop& operator=(const BoundaryLoop&) = delete;
  [[nodiscard]] bool is(const FieldStorage& field, Face at, const BoundaryLayers& which) const {
    return use.field == &field && face == at && layers == which;
  }

  BoundaryLayers layers;
  Face face;
  FieldUse use;      ///< its only field argument
  std::string text;  ///< name of the loop, for example "mirror density -x"
};
/// All BoundaryLoop objects of a field, by face.
struct BoundaryLoops {
  std::array<std::vector<std::unique_ptr<const BoundaryLoop>>, std::size_t{2} * kMaxDimensions> of;
};
/// Returns the declaration, created on first use. `code` is the function table for layers of this
/// kind; null if the loop won't be queued. Throws check_face()'s errors, and Error (input) if the
/// field's halo has too few layers.
const BoundaryLoop& boundary_loop(FieldStorage& field, Face face, const BoundaryLayers& layers,
                                  const LoopCode* code);

/// Adds boundary_loop() to the queue, as queue_loop() does.
[[nodiscard]] BodyStorage queue_boundary_loop(FieldStorage& field, Face face,
                                              const BoundaryLayers& layers, const LoopCode& code);

/// Queues a loop over one field. All layers of a kind use the same kernel type and differ in its
/// captures.
template <class Kernel, class Argument>
void queue_boundary(FieldStorage& field, Face face, const BoundaryLayers& layers, Kernel kernel,
                    const Argument& argument) {
  constexpr const LoopCode& code = kLoopCode<true, Kernel, Argument>;
  static_assert(code.fields == 1 && code.reductions == 0);
  make_body(queue_boundary_loop(field, face, layers, code), std::move(kernel), argument);
}

/// Source of the k-th layer beyond a face under repeated mirroring. `layer` is the layer of the
/// mesh, counted from 0 at that face; `mirrors` is the number of reflections. `points` is the
/// number of layers of the mesh. If `on_point`, the mirror planes are on the first and last points,
/// else half a spacing beyond them.
struct MirroredLayer {
  int layer, mirrors;
};
[[nodiscard]] MirroredLayer mirrored_layer(int k, int points, bool on_point);

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
  const Offset from = offset_along(face.dimension, layers.distance);
  queue_boundary(
      field.storage(), face, layers,
      [from, factor](auto f) { f(0, 0) = static_cast<T>(factor * f(from.x, from.y, from.z)); },
      read_write(field));
}
}  // namespace detail

/// Mirrors the field at a face: layer k beyond the face becomes `sign` times layer k of the
/// interior, for the first `depth` layers and only at points in `within`. If the mesh has fewer
/// layers, values are also reflected at the opposite face, with the same sign. Throws Error (input)
/// if the halo has too few layers.
template <class T>
void mirror(const Field<T>& field, Face face, int depth, int sign = 1, MirrorAt at = MirrorAt::face,
            const Range& within = kEverywhere) {
  const FieldStorage& storage = field.storage();
  detail::check_face(storage, face);
  const auto d = static_cast<std::size_t>(face.dimension);
  const bool on_point = at == MirrorAt::point || storage.options().staggered[d];
  for (int k = 1; k <= depth; ++k) {
    const auto [layer, mirrors] = detail::mirrored_layer(k, storage.interior().hi[d], on_point);
    const int distance = k + layer;
    detail::copy_layer(
        field, face,
        {detail::Boundary::mirror, k, 1, depth, face.high ? -distance : distance, within},
        mirrors % 2 == 0 ? T{1} : static_cast<T>(sign));
  }
}

/// Sets `depth` layers beyond a face to the value of the last interior point.
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
  detail::queue_boundary(
      field.storage(), face, {detail::Boundary::constant, 1, depth, depth, 0},
      [value](auto f) { f(0, 0) = value; }, write(field));
}

/// Copies `depth` layers beyond a face of `to` from `from`, a field of the adjacent mesh (or of the
/// same mesh), which is joined with its opposite face. Throws Error (input) if the meshes differ in
/// their points along the face, or a halo has too few layers.
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
  const auto copy_layers = [&](int first, int layers) {
    if (periodic) {
      detail::queue_boundary(target, face,
                             {detail::Boundary::periodic, first, layers, depth, distance},
                             detail::CopyFrom{offset}, read_write(to));
      return;
    }
    const detail::BoundaryLoop& loop = detail::boundary_loop(
        target, face, {detail::Boundary::exchange, first, layers, depth, distance}, nullptr);
    detail::queue<true>(
        target.mesh(), loop.name, loop.range,
        [offset](auto f, auto other) { f(0, 0) = other(offset.x, offset.y, offset.z); }, write(to),
        read(from, Stencil({offset})));
  };
  detail::check_halo(target, face, 1, depth);
  // A staggered field that is periodic has its first point again as its last one.
  if (periodic && face.high && target.options().staggered[d]) copy_layers(0, 1);
  // If the halo is deeper than the mesh, fills it in parts: the far ones from the near ones.
  for (int first = 1; first <= depth; first += size)
    copy_layers(first, std::min(size, depth - first + 1));
}

/// Makes the field periodic in a dimension: `depth` halo layers on both sides are copied from the
/// interior at the opposite side. Throws exchange()'s errors.
template <class T>
void periodic(const Field<T>& field, int dimension, int depth) {
  exchange(field, {dimension, false}, field, depth);
  exchange(field, {dimension, true}, field, depth);
}

/// Two meshes with a common face: the high face of `low` in a dimension is the low face of `high`.
struct Connection {
  Mesh* low = nullptr;   ///< its high face is the common face
  Mesh* high = nullptr;  ///< its low face is the common face
  int dimension = 0;     ///< normal to the face
};

/// Fills `depth` halo layers of two connected meshes' fields from each other. Throws Error (input)
/// if the fields belong to other meshes, and exchange()'s errors.
template <class T>
void exchange(const Connection& connection, const Field<T>& low, const Field<T>& high, int depth) {
  if (&low.storage().mesh() != connection.low || &high.storage().mesh() != connection.high)
    throw Error::input(low.name(), "is exchanged over a connection of other meshes",
                       "give the fields of the meshes that are connected, the low one first");
  exchange(low, {connection.dimension, true}, high, depth);
  exchange(high, {connection.dimension, false}, low, depth);
}

}  // namespace Atoll::stencil
