// Arrays whose layout is chosen independently of the code that uses them [shoal §3]. Each copy is
// contiguous memory: a thread takes its local view once and then uses plain loads and stores.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "atoll/array/raw_array.hpp"

namespace Atoll {

/// A placed array of `size` elements, with as many copies as its layout requires. It may outlive
/// its context: then the calling thread alone does the team's work, such as fill().
template <class T>
  requires std::is_trivially_copyable_v<T>
class Array {
 public:
  /// Constructs an empty array without memory.
  Array() = default;
  /// Allocates `size` elements with this layout, all bytes zero. Throws memory::Block's errors.
  Array(const memory::Context& context, std::size_t size, const Layout& layout)
      : raw_(context, size, sizeof(T), layout) {}
  /// As above, with the `where` of a layout: Array<int>(context, size, SingleNode{node}). Uses huge
  /// pages if the granules are multiples of them.
  template <class Where>
    requires std::is_same_v<Where, SingleNode> || std::is_same_v<Where, Distributed> ||
             std::is_same_v<Where, Partitioned> || std::is_same_v<Where, Replicated>
  Array(const memory::Context& context, std::size_t size, const Where& where)
      : raw_(context, size, sizeof(T), Layout{where, usual_pages(where)}) {}
  /// Chooses the layout of this array from its access pattern. An unused pattern allocates no
  /// memory.
  Array(const memory::Context& context, std::size_t size, const AccessPattern& pattern,
        const ChoiceOptions& options = {})
      : raw_(context, size, sizeof(T), pattern, options) {}
  /// Uses a choice of choose_layouts(). An unallocated choice allocates no memory.
  Array(const memory::Context& context, std::size_t size, const Choice& choice)
      : raw_(context, size, sizeof(T), choice) {}
  Array(const Array&) = delete;       // arrays are move-only; copy_from() copies
  Array(Array&&) noexcept = default;  ///< leaves the source empty
  Array& operator=(Array&&) noexcept = default;

  [[nodiscard]] std::size_t size() const noexcept { return raw_.size(); }
  /// False for an array that is declared but unused: it has a size but no accessible elements.
  [[nodiscard]] bool allocated() const noexcept { return raw_.copies() > 0; }
  [[nodiscard]] const Layout& layout() const noexcept { return raw_.layout(); }

  /// The copy nearest to the calling thread, for reads.
  [[nodiscard]] std::span<const T> local() const noexcept {
    return {reinterpret_cast<const T*>(raw_.nearest_copy()), extent()};
  }
  /// The master copy, for writes. It is the only copy unless the layout is replicated; then sync()
  /// copies the changes to the other copies.
  [[nodiscard]] std::span<T> master() noexcept {
    return {reinterpret_cast<T*>(raw_.copy(0)), extent()};
  }

  /// Reads an element of the nearest copy. For single elements; loops should use local().
  [[nodiscard]] T get(std::size_t i) const noexcept {
    assert(i < extent());
    return local()[i];
  }
  /// Writes to the master copy.
  void set(std::size_t i, T value) noexcept {
    assert(i < extent());
    master()[i] = value;
  }

  /// Writes to the master copy and marks the element for sync(written). Any thread may call it, but
  /// each element may be written by one thread only.
  void set(std::size_t i, T value, WriteSet& written) noexcept {
    set(i, value);
    written.mark(i * sizeof(T), sizeof(T));
  }
  /// Writes to every copy [shoal §5.4]: needs no sync(), but costs one store per copy.
  void set_in_all_copies(std::size_t i, T value) noexcept {
    assert(i < extent());
    for (std::size_t copy = 0; copy < raw_.copies(); ++copy)
      reinterpret_cast<T*>(raw_.copy(copy))[i] = value;
  }

  /// Sets every element of every copy to `value`, in parallel and in no order.
  void fill(T value) { raw_.fill(&value); }
  /// Copies all elements of an array of the same size into every copy, in parallel and in no order.
  /// Throws Error (input) if the sizes differ.
  void copy_from(const Array& source) { raw_.copy_from(source.raw_); }
  /// Copies plain memory to the elements from position `first` on, in every copy, in parallel.
  /// Throws Error (input) if the array has fewer elements.
  void copy_from(std::span<const T> source, std::size_t first = 0) {
    raw_.copy_from(source.data(), source.size(), first);
  }
  /// Copies the master copy to all other copies [shoal §3.1: shl__repl_sync].
  void sync() { raw_.sync(); }
  /// Copies only the marked parts to all other copies, and clears the marks. Throws Error (input)
  /// for another array's write set.
  void sync(WriteSet& written) { raw_.sync(written); }
  /// Copies only the marked parts, to each copy from the source's nearest one, and clears the
  /// marks. Throws Error (input) if the sizes differ.
  void copy_from(const Array& source, WriteSet& written) { raw_.copy_from(source.raw_, written); }
  /// Returns a write set for this array without marks.
  [[nodiscard]] WriteSet write_set(WriteSet::Granule granule = WriteSet::Granule::line) const {
    return WriteSet(extent() * sizeof(T), granule);
  }

  /// Changes the layout. All copies get the content of the master copy. Between single-copy layouts
  /// with the same page size, pages move in place and views stay valid. Otherwise, earlier views
  /// become invalid, and the memory of both layouts is needed for a moment. Returns the number of 4
  /// KiB pages that found no room on their node; where() lists them. Throws the constructor's
  /// errors and then leaves the array unchanged.
  std::uint64_t move_to(const memory::Context& context, const Layout& layout) {
    return raw_.move_to(context, layout);
  }

  /// CRC-32 (zlib) of the nearest copy's bytes.
  [[nodiscard]] std::uint32_t crc32() const { return raw_.crc32(); }
  /// Actual nodes of the pages of each copy.
  [[nodiscard]] std::vector<CopyWhereabouts> where() const { return raw_.where(); }

  /// Exchanges memory and layout, for double buffers.
  friend void swap(Array& a, Array& b) noexcept { swap(a.raw_, b.raw_); }

  /// The untyped array, for tables of arrays.
  [[nodiscard]] const RawArray& raw() const noexcept { return raw_; }

 private:
  template <class Where>
  static PageSize usual_pages(const Where& where) {
    if constexpr (std::is_same_v<Where, Distributed>)
      if (where.granule_bytes % page_bytes(PageSize::huge) != 0) return PageSize::small;
    return PageSize::huge;
  }
  [[nodiscard]] std::size_t extent() const noexcept { return allocated() ? raw_.size() : 0; }

  RawArray raw_;
};

}  // namespace Atoll
