// Fields: values at the points of a mesh. Programs hold handles, which are cheap to copy; the mesh
// owns the values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "atoll/array/raw_array.hpp"
#include "atoll/stencil/range.hpp"

namespace Atoll::stencil {

class Mesh;
namespace detail {
struct BoundaryLoops;
}

/// Type of a field's elements.
enum class ElementType {
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64
};

/// Returns the name of the type, for example "float64".
[[nodiscard]] std::string_view to_string(ElementType type);
/// Size of one element in bytes.
[[nodiscard]] std::size_t bytes_of(ElementType type);

/// Element types of fields and reductions: float, double, and integers of 1 to 8 bytes.
template <class T>
concept Element = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
                  std::is_same_v<T, std::remove_cvref_t<T>>;

/// The ElementType of T.
template <Element T>
[[nodiscard]] constexpr ElementType element_type() {
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? ElementType::float32 : ElementType::float64;
  else if constexpr (std::is_signed_v<T>)
    return sizeof(T) == 1   ? ElementType::int8
           : sizeof(T) == 2 ? ElementType::int16
           : sizeof(T) == 4 ? ElementType::int32
                            : ElementType::int64;
  else
    return sizeof(T) == 1   ? ElementType::uint8
           : sizeof(T) == 2 ? ElementType::uint16
           : sizeof(T) == 4 ? ElementType::uint32
                            : ElementType::uint64;
}

/// Depth of a field's halo beyond its mesh, in points.
struct Halo {
  std::array<int, kMaxDimensions> lo{0, 0, 0};  ///< before the first point
  std::array<int, kMaxDimensions> hi{0, 0, 0};  ///< after the last one
  /// No halo.
  constexpr Halo() = default;
  /// The same depth on every side. Implicit, so that `.halo = 2` compiles.
  constexpr Halo(int depth) : lo{depth, depth, depth}, hi{depth, depth, depth} {}
  /// A separate depth for each side.
  constexpr Halo(std::array<int, kMaxDimensions> before, std::array<int, kMaxDimensions> after)
      : lo(before), hi(after) {}
  friend constexpr bool operator==(const Halo&, const Halo&) = default;
};

/// Properties of a field. By default it has one value for each point of the mesh and no halo.
struct FieldOptions {
  Halo halo = {};
  /// One more point in these dimensions, for values on nodes or faces instead of cells.
  std::array<bool, kMaxDimensions> staggered{false, false, false};
  /// Extent 1 in these dimensions: all points of the mesh share one value there. For x, use
  /// Mesh::column() instead.
  std::array<bool, kMaxDimensions> flat{false, false, false};
  int components = 1;  ///< number of values at each point
  /// If true, values don't survive from one chain to the next: each chain writes the field before
  /// it reads it.
  bool temporary = false;
};

/// The part of a field that doesn't depend on its element type. Owned by its mesh.
class FieldStorage {
 public:
  FieldStorage(Mesh& mesh, std::string name, ElementType type, const FieldOptions& options,
               bool column, int number);
  ~FieldStorage();
  FieldStorage(const FieldStorage&) = delete;
  FieldStorage& operator=(const FieldStorage&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Mesh& mesh() const { return *mesh_; }
  [[nodiscard]] ElementType type() const { return type_; }
  [[nodiscard]] const FieldOptions& options() const { return options_; }
  /// Index among all fields of the program, in order of creation.
  [[nodiscard]] int number() const { return number_; }
  /// True if the field has extent 1 in this dimension.
  [[nodiscard]] bool flat(int dimension) const {
    return flat_[static_cast<std::size_t>(dimension)];
  }
  /// Points without the halo.
  [[nodiscard]] const Range& interior() const { return interior_; }
  /// Points with the halo. In dimensions of extent 1, the interval is [0, 1).
  [[nodiscard]] const Range& whole() const { return whole_; }
  /// Size of all values in bytes, with the halo.
  [[nodiscard]] std::uint64_t bytes() const;

  /// Address of component 0 at point (0, 0, 0), for the library and its output. Programs use a
  /// View, which runs the queued loops first. Null if the field isn't in memory as a whole.
  [[nodiscard]] std::byte* origin() const { return origin_; }
  /// Distance in elements to the next point in y or z, and to the next component. Points in x are
  /// contiguous. 0 in dimensions of extent 1.
  [[nodiscard]] std::ptrdiff_t stride_y() const { return stride_y_; }
  [[nodiscard]] std::ptrdiff_t stride_z() const { return stride_z_; }
  [[nodiscard]] std::ptrdiff_t stride_component() const { return stride_component_; }
  /// Bytes from component 0 at point (0, 0, 0) to one value.
  [[nodiscard]] std::ptrdiff_t distance(int x, int y, int z, int component = 0) const {
    return signed_element_bytes() *
           ((flat_[0] ? 0 : x) + y * stride_y_ + z * stride_z_ + component * stride_component_);
  }
  /// Address of one value.
  [[nodiscard]] std::byte* at(int x, int y, int z, int component = 0) const {
    return origin_ + distance(x, y, z, component);
  }
  /// The memory of the field, for example to query where its pages are. Empty if the field isn't in
  /// memory as a whole.
  [[nodiscard]] const RawArray& memory() const { return memory_; }
  /// Memory in bytes, with padding.
  [[nodiscard]] std::uint64_t memory_bytes() const { return elements_ * element_bytes_; }
  /// Distance in bytes from the begin of the memory to the first value, and to component 0 at point
  /// (0, 0, 0).
  [[nodiscard]] std::ptrdiff_t begin_bytes() const { return begin_ * signed_element_bytes(); }
  [[nodiscard]] std::ptrdiff_t origin_bytes() const { return first_ * signed_element_bytes(); }
  /// Allocates the memory: on these nodes in turn, or if there are none, on the nodes of the
  /// threads that compute its rows. Throws memory::Block's errors.
  void allocate(std::span<const NodeId> nodes = {});

  /// In checked mode, one flag for each point of whole(), in its order: true once the point was
  /// written. Empty in other modes.
  [[nodiscard]] std::vector<bool>& written() { return written_; }
  /// Cached declarations of the loops that set the halo; boundary.hpp creates them.
  [[nodiscard]] detail::BoundaryLoops& boundary_loops() const { return *boundary_loops_; }

 private:
  [[nodiscard]] std::ptrdiff_t signed_element_bytes() const {
    return static_cast<std::ptrdiff_t>(element_bytes_);
  }
  void set_strides();
  [[nodiscard]] Layout layout(std::span<const NodeId> nodes) const;

  Mesh* mesh_;
  std::string name_;
  ElementType type_;
  FieldOptions options_;
  int number_;
  std::size_t element_bytes_;
  std::array<bool, kMaxDimensions> flat_{};
  Range interior_, whole_;
  std::ptrdiff_t stride_y_ = 0, stride_z_ = 0, stride_component_ = 0;
  std::size_t elements_ = 0;              ///< of the memory, with padding
  std::ptrdiff_t begin_ = 0, first_ = 0;  ///< elements before the first value and the origin
  RawArray memory_;
  std::byte* origin_ = nullptr;
  std::vector<bool> written_;
  std::unique_ptr<detail::BoundaryLoops> boundary_loops_;
};

/// Accesses the values of a field outside of loops; read-only if T is const. Valid until the next
/// loop is queued.
template <class T>
class View {
 public:
  /// `origin` is the address of component 0 at point (0, 0, 0).
  View(const FieldStorage& field, std::byte* origin) : field_(&field), origin_(origin) {}

  /// Returns one value. The point must be in whole(); halo points have negative coordinates or
  /// coordinates beyond the mesh's size.
  [[nodiscard]] T& operator()(int x, int y = 0, int z = 0, int component = 0) const {
    return *reinterpret_cast<T*>(origin_ + field_->distance(x, y, z, component));
  }
  /// Points without the halo.
  [[nodiscard]] const Range& interior() const { return field_->interior(); }
  /// Points with the halo.
  [[nodiscard]] const Range& whole() const { return field_->whole(); }

  /// Address of component 0 at point (0, 0, 0).
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(origin_); }
  /// Distance in elements to the next point in dimension 0 (x), 1 (y) or 2 (z). 1 in x; 0 in
  /// dimensions of extent 1.
  [[nodiscard]] std::ptrdiff_t stride(int dimension) const {
    return dimension == 0   ? (field_->flat(0) ? 0 : 1)
           : dimension == 1 ? field_->stride_y()
                            : field_->stride_z();
  }
  /// Distance in elements to the next component.
  [[nodiscard]] std::ptrdiff_t stride_component() const { return field_->stride_component(); }

 private:
  const FieldStorage* field_;
  std::byte* origin_;
};

namespace detail {
/// Runs the queued loops, before accesses to these fields. All belong to one program.
void run_for(std::span<FieldStorage* const> fields);
/// Does the same for one field. If `writes`, marks all points of the field as written. Returns the
/// address of component 0 at point (0, 0, 0), valid until the next loop is queued.
std::byte* before_access(FieldStorage& field, bool writes);
/// Runs the queued loops, then calls work(origin, part) for parts of the range, ascending in the
/// outermost dimension. `origin` is the address of component 0 at point (0, 0, 0), valid during the
/// call and for the part only. A field that isn't in memory as a whole is read part by part.
void for_each_part(FieldStorage& field, const Range& range,
                   const std::function<void(std::byte* origin, const Range& part)>& work);
/// Releases the memory of rows of the outermost dimension before row `end`, if the address that
/// before_access() returned is that of a mapped file. They can still be accessed.
void release_rows(const FieldStorage& field, int end);
/// Throws Error (input): the handle, described by `kind`, was default-constructed.
[[noreturn]] void refuse_handle(std::string_view kind);
/// Throws Error (input) unless the field has these points and this component. If `reads`, every
/// coordinate is accepted in dimensions of extent 1.
void check_points(const FieldStorage& field, const Range& range, int component, bool reads);
/// Throws Error (input) if the number of values differs from the number of points of the range.
void check_count(const FieldStorage& field, const Range& range, std::size_t values);
}  // namespace detail

/// A handle of a field, valid as long as its program. If `kColumn`, the field has one value for
/// each row of points in x, and kernels see the same value at every x.
template <Element T, bool kColumn = false>
class Field {
 public:
  Field() = default;
  explicit Field(FieldStorage& storage) : storage_(&storage) {}

  /// Throws Error (input) if the handle was default-constructed; so do all other functions.
  [[nodiscard]] FieldStorage& storage() const {
    if (storage_ == nullptr) [[unlikely]]
      detail::refuse_handle(kColumn ? "column" : "field");
    return *storage_;
  }
  [[nodiscard]] const std::string& name() const { return storage().name(); }

  /// Returns the values for reading. Runs the queued loops first.
  [[nodiscard]] View<const T> view() const {
    return View<const T>(storage(), detail::before_access(storage(), false));
  }
  /// Returns the values for reading and writing. Runs the queued loops first. Marks all points of
  /// the field as written.
  [[nodiscard]] View<T> edit() const {
    return View<T>(storage(), detail::before_access(storage(), true));
  }
  /// Returns a copy of one component's values in `range`; x varies fastest, then y, then z. Runs
  /// the queued loops first. Throws Error (input) if the field lacks one of the points or the
  /// component.
  [[nodiscard]] std::vector<T> copy(const Range& range, int component = 0) const {
    detail::check_points(storage(), range, component, true);
    std::vector<T> copied;
    copied.reserve(static_cast<std::size_t>(range.points()));
    detail::for_each_part(storage(), range, [&](std::byte* origin, const Range& part) {
      const View<const T> values(*storage_, origin);
      for (int z = part.lo[2]; z < part.hi[2]; ++z)
        for (int y = part.lo[1]; y < part.hi[1]; ++y)
          for (int x = part.lo[0]; x < part.hi[0]; ++x)
            copied.push_back(values(x, y, z, component));
    });
    return copied;
  }
  /// Returns a copy of the values without the halo.
  [[nodiscard]] std::vector<T> copy() const { return copy(storage().interior()); }

  /// Sets one component's values in `range`; x varies fastest, then y, then z. The inverse of
  /// copy(). Runs the queued loops first. Throws Error (input) if the field lacks one of the points
  /// or the component, or the number of values differs from the number of points.
  void assign(const Range& range, std::span<const T> values, int component = 0) const {
    detail::check_points(storage(), range, component, false);
    detail::check_count(*storage_, range, values.size());
    const View<T> to = edit();
    auto next = values.begin();
    for (int z = range.lo[2]; z < range.hi[2]; ++z)
      for (int y = range.lo[1]; y < range.hi[1]; ++y)
        for (int x = range.lo[0]; x < range.hi[0]; ++x) to(x, y, z, component) = *next++;
  }
  /// Sets all values except those of the halo.
  void assign(std::span<const T> values) const { assign(storage().interior(), values); }

 private:
  FieldStorage* storage_ = nullptr;
};

/// A field with one value for each row of points.
template <Element T>
using Column = Field<T, true>;

}  // namespace Atoll::stencil
