// Arrays whose layout is chosen apart from the code that uses them [shoal §3]. Every copy is
// contiguous memory: a thread takes its local view once, and then uses plain loads and stores.
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

/// A placed array of `size` elements, in as many copies as its layout says. It may outlive its
/// context: then the calling thread alone does what the team's threads would do, such as fill().
template <class T>
  requires std::is_trivially_copyable_v<T>
class Array {
 public:
  /// Makes an array without elements or memory.
  Array() = default;
  /// Makes `size` elements, all zero bytes, with this layout. Throws memory::Block's errors.
  Array(const memory::Context& context, std::size_t size, const Layout& layout)
      : raw_(context, size, sizeof(T), layout) {}
  /// Takes one of the layouts, in huge pages if its granules are whole ones: Array<int>(context,
  /// size, SingleNode{node}).
  template <class Where>
    requires std::is_same_v<Where, SingleNode> || std::is_same_v<Where, Distributed> ||
             std::is_same_v<Where, Partitioned> || std::is_same_v<Where, Replicated>
  Array(const memory::Context& context, std::size_t size, const Where& where)
      : raw_(context, size, sizeof(T), Layout{where, usual_pages(where)}) {}
  /// Chooses the layout for this one array from its pattern. An unused pattern takes no memory.
  Array(const memory::Context& context, std::size_t size, const AccessPattern& pattern,
        const ChoiceOptions& options = {})
      : raw_(context, size, sizeof(T), pattern, options) {}
  /// Takes a choice of choose_layouts(). An unallocated choice takes no memory.
  Array(const memory::Context& context, std::size_t size, const Choice& choice)
      : raw_(context, size, sizeof(T), choice) {}
  Array(const Array&) = delete;       // arrays are move-only: std::move() one, or copy_from() it
  Array(Array&&) noexcept = default;  ///< the other one is empty then
  Array& operator=(Array&&) noexcept = default;

  [[nodiscard]] std::size_t size() const noexcept { return raw_.size(); }
  /// False for an array that is declared but unused: it has a size and no elements to reach.
  [[nodiscard]] bool allocated() const noexcept { return raw_.copies() > 0; }
  [[nodiscard]] const Layout& layout() const noexcept { return raw_.layout(); }

  /// The copy nearest to the calling thread, to read from.
  [[nodiscard]] std::span<const T> local() const noexcept {
    return {reinterpret_cast<const T*>(raw_.nearest_copy()), extent()};
  }
  /// The master copy, to write to. It is the only copy unless the layout is replicated; then sync()
  /// brings what was written to the other copies.
  [[nodiscard]] std::span<T> master() noexcept {
    return {reinterpret_cast<T*>(raw_.copy(0)), extent()};
  }

  /// Reads an element of the nearest copy. It is meant for single elements; loops take local().
  [[nodiscard]] T get(std::size_t i) const noexcept {
    assert(i < extent());
    return local()[i];
  }
  /// Writes to the master copy.
  void set(std::size_t i, T value) noexcept {
    assert(i < extent());
    master()[i] = value;
  }

  /// Writes to the master copy, and marks the element for sync(written). Any thread may call it,
  /// but each element is written by one.
  void set(std::size_t i, T value, WriteSet& written) noexcept {
    set(i, value);
    written.mark(i * sizeof(T), sizeof(T));
  }
  /// Writes to every copy [shoal §5.4]: no copy has to be brought up to date later, and each write
  /// costs as many stores as there are copies.
  void set_in_all_copies(std::size_t i, T value) noexcept {
    assert(i < extent());
    for (std::size_t copy = 0; copy < raw_.copies(); ++copy)
      reinterpret_cast<T*>(raw_.copy(copy))[i] = value;
  }

  /// Sets every element of every copy to `value`; in parallel, in no order.
  void fill(T value) { raw_.fill(&value); }
  /// Copies all elements of an array of the same size (else Error, input) into every copy; in
  /// parallel, in no order.
  void copy_from(const Array& source) { raw_.copy_from(source.raw_); }
  /// Copies plain memory to the elements from position `first` on, in every copy; in parallel.
  /// Throws Error (input) if these are more elements than there are.
  void copy_from(std::span<const T> source, std::size_t first = 0) {
    raw_.copy_from(source.data(), source.size(), first);
  }
  /// Brings the master copy's content to all other copies [shoal §3.1: shl__repl_sync].
  void sync() { raw_.sync(); }
  /// Brings only what is marked to all other copies, and clears the marks. Throws Error (input) for
  /// another array's write set.
  void sync(WriteSet& written) { raw_.sync(written); }
  /// Copies only what is marked, into each copy from the source's nearest to it, and clears the
  /// marks. Throws Error (input) for an array of another size.
  void copy_from(const Array& source, WriteSet& written) { raw_.copy_from(source.raw_, written); }
  /// Makes a write set for this array, with nothing marked.
  [[nodiscard]] WriteSet write_set(WriteSet::Granule granule = WriteSet::Granule::line) const {
    return WriteSet(extent() * sizeof(T), granule);
  }

  /// Changes the layout and keeps the content: that of the master copy, which comes to all copies.
  /// Between layouts of one copy and one page size the pages are moved in place, and views stay
  /// valid. Otherwise views taken before are invalid, and both layouts' memory is needed for a
  /// moment. Returns how many 4 KiB pages found no room where the layout wants them; where() tells
  /// which. Throws the constructor's errors, with the array left as it was.
  std::uint64_t move_to(const memory::Context& context, const Layout& layout) {
    return raw_.move_to(context, layout);
  }

  /// zlib's CRC-32 of the nearest copy's bytes.
  [[nodiscard]] std::uint32_t crc32() const { return raw_.crc32(); }
  /// Where the pages of each copy really are.
  [[nodiscard]] std::vector<CopyWhereabouts> where() const { return raw_.where(); }

  /// Exchanges memory and layout, for double buffers.
  friend void swap(Array& a, Array& b) noexcept { swap(a.raw_, b.raw_); }

  /// The array without its type, for tables of arrays.
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
