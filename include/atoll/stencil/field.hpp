// Fields: values on the points of a mesh. A program holds handles, which are cheap to copy; the
// values belong to the mesh.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
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

/// What the elements of a field are.
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

/// "float64".
[[nodiscard]] std::string_view to_string(ElementType type);
/// The bytes of one element.
[[nodiscard]] std::size_t bytes_of(ElementType type);

/// The types that fields and reductions can have: float, double, and integers of 1 to 8 bytes.
template <class T>
concept Element = std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8 &&
                  std::is_same_v<T, std::remove_cvref_t<T>>;

/// The name of a type of element.
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

/// How many points of halo a field has beyond its mesh.
struct Halo {
  std::array<int, kMaxDimensions> lo{0, 0, 0};  ///< before the first point
  std::array<int, kMaxDimensions> hi{0, 0, 0};  ///< after the last one
  /// No halo.
  constexpr Halo() = default;
  /// The same depth on every side; implicit, so that `.halo = 2` is all one writes.
  constexpr Halo(int depth) : lo{depth, depth, depth}, hi{depth, depth, depth} {}
  /// Other depths on each side.
  constexpr Halo(std::array<int, kMaxDimensions> before, std::array<int, kMaxDimensions> after)
      : lo(before), hi(after) {}
  friend constexpr bool operator==(const Halo&, const Halo&) = default;
};

/// What a field is like. The defaults are one value for each point of the mesh, without a halo.
struct FieldOptions {
  Halo halo = {};
  /// One more point in these dimensions: values on nodes or faces instead of cells.
  std::array<bool, kMaxDimensions> staggered{false, false, false};
  /// Extent 1 in these dimensions: every point of the mesh sees the same value there. Not x, for
  /// which Mesh::column() is.
  std::array<bool, kMaxDimensions> flat{false, false, false};
  int components = 1;  ///< values at each point
  /// The content means nothing from one chain to the next: each chain writes what it reads.
  bool temporary = false;
};

/// What all fields have, whatever their elements are. It belongs to its mesh.
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
  /// Its number among all fields of the program, in the order in which they were made.
  [[nodiscard]] int number() const { return number_; }
  /// True for a field of extent 1 in this dimension.
  [[nodiscard]] bool flat(int dimension) const {
    return flat_[static_cast<std::size_t>(dimension)];
  }
  /// Its points without the halo.
  [[nodiscard]] const Range& interior() const { return interior_; }
  /// Its points with the halo. In dimensions of extent 1 these are [0, 1).
  [[nodiscard]] const Range& whole() const { return whole_; }
  /// The bytes of all its values, the halo's too.
  [[nodiscard]] std::uint64_t bytes() const;

  /// The element of component 0 at point (0,0,0). Reading or writing through it is for the library
  /// and for output: programs take a View, which runs what is queued first.
  [[nodiscard]] std::byte* origin() const { return origin_; }
  /// Elements from a point to the next one in y or z, and from a component to the next one; points
  /// in x are next to each other. 0 in dimensions of extent 1.
  [[nodiscard]] std::ptrdiff_t stride_y() const { return stride_y_; }
  [[nodiscard]] std::ptrdiff_t stride_z() const { return stride_z_; }
  [[nodiscard]] std::ptrdiff_t stride_component() const { return stride_component_; }
  /// The address of one value.
  [[nodiscard]] std::byte* at(int x, int y, int z, int component = 0) const {
    const std::ptrdiff_t element =
        (flat_[0] ? 0 : x) + y * stride_y_ + z * stride_z_ + component * stride_component_;
    return origin_ + element * static_cast<std::ptrdiff_t>(element_bytes_);
  }
  /// The memory, to ask where its pages are.
  [[nodiscard]] const RawArray& memory() const { return memory_; }

  /// In checked mode: the points that were written so far, in the order of whole(). Empty
  /// otherwise.
  [[nodiscard]] std::vector<bool>& written() { return written_; }
  /// What loops that set its halo declare; boundary.hpp makes them.
  [[nodiscard]] detail::BoundaryLoops& boundary_loops() const { return *boundary_loops_; }

 private:
  Mesh* mesh_;
  std::string name_;
  ElementType type_;
  FieldOptions options_;
  int number_;
  std::size_t element_bytes_;
  std::array<bool, kMaxDimensions> flat_{};
  Range interior_, whole_;
  std::ptrdiff_t stride_y_ = 0, stride_z_ = 0, stride_component_ = 0;
  RawArray memory_;
  std::byte* origin_ = nullptr;
  std::vector<bool> written_;
  std::unique_ptr<detail::BoundaryLoops> boundary_loops_;
};

/// Reads, and if T isn't const writes, the values of a field outside of loops. It is valid until
/// the next loop is queued.
template <class T>
class View {
 public:
  explicit View(const FieldStorage& field) : field_(&field) {}

  /// One value; halo points have negative coordinates, or such beyond the mesh's size. It must be
  /// in whole().
  [[nodiscard]] T& operator()(int x, int y = 0, int z = 0, int component = 0) const {
    return *reinterpret_cast<T*>(field_->at(x, y, z, component));
  }
  /// The points without the halo.
  [[nodiscard]] const Range& interior() const { return field_->interior(); }
  /// The points with the halo.
  [[nodiscard]] const Range& whole() const { return field_->whole(); }

  /// The address of component 0 at point (0, 0, 0).
  [[nodiscard]] T* data() const { return reinterpret_cast<T*>(field_->origin()); }
  /// Elements from a point to the next one in dimension 0 (x), 1 (y) or 2 (z): 1 in x. 0 in
  /// dimensions of extent 1.
  [[nodiscard]] std::ptrdiff_t stride(int dimension) const {
    return dimension == 0   ? (field_->flat(0) ? 0 : 1)
           : dimension == 1 ? field_->stride_y()
                            : field_->stride_z();
  }
  /// Elements from a component to the next one.
  [[nodiscard]] std::ptrdiff_t stride_component() const { return field_->stride_component(); }

 private:
  const FieldStorage* field_;
};

namespace detail {
/// Runs what is queued, and marks all of the field as written if `writes`.
void before_access(FieldStorage& field, bool writes);
/// Throws Error (input): a handle of this kind was default-constructed.
[[noreturn]] void refuse_handle(std::string_view kind);
/// Throws Error (input) unless the field has these points and this component. `reads`: any point is
/// right in dimensions of extent 1.
void check_points(const FieldStorage& field, const Range& range, int component, bool reads);
/// Throws Error (input) unless the range has as many points as there are values.
void check_count(const FieldStorage& field, const Range& range, std::size_t values);
}  // namespace detail

/// A handle of a field. `kColumn`: it has one value for each row of points in x, so that a kernel
/// sees the same value at every x. Handles are valid as long as their program.
template <Element T, bool kColumn = false>
class Field {
 public:
  Field() = default;
  explicit Field(FieldStorage& storage) : storage_(&storage) {}

  /// Throws Error (input) if the handle was default-constructed, as everything else does.
  [[nodiscard]] FieldStorage& storage() const {
    if (storage_ == nullptr) [[unlikely]]
      detail::refuse_handle(kColumn ? "column" : "field");
    return *storage_;
  }
  [[nodiscard]] const std::string& name() const { return storage().name(); }

  /// The values to read. Runs what is queued.
  [[nodiscard]] View<const T> view() const {
    detail::before_access(storage(), false);
    return View<const T>(*storage_);
  }
  /// The values to read and write. Runs what is queued. A point that is set counts as written; so
  /// do all others of this field.
  [[nodiscard]] View<T> edit() const {
    detail::before_access(storage(), true);
    return View<T>(*storage_);
  }
  /// A copy of the values in `range`, x first, then y, then z, of one component. Runs what is
  /// queued. Throws Error (input) for points or a component that the field doesn't have.
  [[nodiscard]] std::vector<T> copy(const Range& range, int component = 0) const {
    detail::check_points(storage(), range, component, true);
    const View<const T> values = view();
    std::vector<T> copied;
    copied.reserve(static_cast<std::size_t>(range.points()));
    for (int z = range.lo[2]; z < range.hi[2]; ++z)
      for (int y = range.lo[1]; y < range.hi[1]; ++y)
        for (int x = range.lo[0]; x < range.hi[0]; ++x)
          copied.push_back(values(x, y, z, component));
    return copied;
  }
  /// A copy without the halo.
  [[nodiscard]] std::vector<T> copy() const { return copy(storage().interior()); }

  /// Sets the values in `range`, x first, then y, then z, of one component: the inverse of copy().
  /// Runs what is queued. Throws Error (input) for points or a component that the field doesn't
  /// have, and for another number of values than the range has points.
  void assign(const Range& range, std::span<const T> values, int component = 0) const {
    detail::check_points(storage(), range, component, false);
    detail::check_count(*storage_, range, values.size());
    const View<T> to = edit();
    auto next = values.begin();
    for (int z = range.lo[2]; z < range.hi[2]; ++z)
      for (int y = range.lo[1]; y < range.hi[1]; ++y)
        for (int x = range.lo[0]; x < range.hi[0]; ++x) to(x, y, z, component) = *next++;
  }
  /// Sets the values without the halo.
  void assign(std::span<const T> values) const { assign(storage().interior(), values); }

 private:
  FieldStorage* storage_ = nullptr;
};

/// A field with one value for each row.
template <Element T>
using Column = Field<T, true>;

}  // namespace Atoll::stencil
