// Arrays whose layout is chosen apart from the code that uses them [shoal §3]. Every copy is
// contiguous memory: a thread takes its local view once, then loads and stores are plain ones.
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
/// context: what the team's threads would do, such as fill(), the calling thread then does alone.
template <class T>
  requires std::is_trivially_copyable_v<T>
class Array {
 public:
  /// No elements, no memory.
  Array() = default;
  /// `size` elements, all zero bytes, laid out so. Errors: as memory::Block.
  Array(const memory::Context& context, std::size_t size, const Layout& layout)
      : raw_(context, size, sizeof(T), layout) {}
  /// One of the layouts, in huge pages if its granules are whole ones: Array<int>(context, size,
  /// SingleNode{node}).
  template <class Where>
    requires std::is_same_v<Where, SingleNode> || std::is_same_v<Where, Distributed> ||
             std::is_same_v<Where, Partitioned> || std::is_same_v<Where, Replicated>
  Array(const memory::Context& context, std::size_t size, const Where& where)
      : raw_(context, size, sizeof(T), Layout{where, usual_pages(where)}) {}
  /// The layout is chosen for this one array from its pattern. An unused pattern takes no memory.
  Array(const memory::Context& context, std::size_t size, const AccessPattern& pattern,
        const ChoiceOptions& options = {})
      : raw_(context, size, sizeof(T), pattern, options) {}
  /// As decided by choose_layouts(); an unallocated choice takes no memory.
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
  /// The master copy, to write to: the only copy unless the layout is replicated; there, sync()
  /// brings what was written to the other copies.
  [[nodiscard]] std::span<T> master() noexcept {
    return {reinterpret_cast<T*>(raw_.copy(0)), extent()};
  }

  /// From the nearest copy. For single elements; loops take local().
  [[nodiscard]] T get(std::size_t i) const noexcept {
    assert(i < extent());
    return local()[i];
  }
  /// Into the master copy.
  void set(std::size_t i, T value) noexcept {
    assert(i < extent());
    master()[i] = value;
  }

  /// Into the master copy, marking it for sync(written): of any thread, each element of one.
  void set(std::size_t i, T value, WriteSet& written) noexcept {
    set(i, value);
    written.mark(i * sizeof(T), sizeof(T));
  }
  /// Into every copy [shoal §5.4]: nothing is left to bring up to date, and each write costs as
  /// many stores as there are copies.
  void set_in_all_copies(std::size_t i, T value) noexcept {
    assert(i < extent());
    for (std::size_t copy = 0; copy < raw_.copies(); ++copy)
      reinterpret_cast<T*>(raw_.copy(copy))[i] = value;
  }

  /// Every element of every copy becomes `value`; in parallel, in no order.
  void fill(T value) { raw_.fill(&value); }
  /// All elements of every copy, from an array of the same size (else Error, input); in parallel,
  /// in no order.
  void copy_from(const Array& source) { raw_.copy_from(source.raw_); }
  /// The elements from position `first` on, of every copy, from plain memory; in parallel. Error
  /// (input) for more elements than there are.
  void copy_from(std::span<const T> source, std::size_t first = 0) {
    raw_.copy_from(source.data(), source.size(), first);
  }
  /// Brings the master copy's content to all other copies [shoal §3.1: shl__repl_sync].
  void sync() { raw_.sync(); }
  /// Only what is marked, whose marks it takes away. Error (input) for another array's write set.
  void sync(WriteSet& written) { raw_.sync(written); }
  /// Only what is marked, into each copy from the source's nearest to it; takes the marks away.
  /// Error (input) for another size.
  void copy_from(const Array& source, WriteSet& written) { raw_.copy_from(source.raw_, written); }
  /// A write set of this array, with nothing marked.
  [[nodiscard]] WriteSet write_set(WriteSet::Granule granule = WriteSet::Granule::line) const {
    return WriteSet(extent() * sizeof(T), granule);
  }

  /// Lays the array out anew, its content kept: that of the master copy, which comes to all copies.
  /// Between layouts of one copy and one page size the pages are moved in place, and views stay
  /// good; else views taken before are invalid, and both layouts' memory is needed for a moment.
  /// Returns how many 4 KiB pages found no room where the layout wants them: where() tells which.
  /// Errors: as the constructor, with the array left as it was.
  std::uint64_t move_to(const memory::Context& context, const Layout& layout) {
    return raw_.move_to(context, layout);
  }

  /// zlib's CRC-32 of the nearest copy's bytes.
  [[nodiscard]] std::uint32_t crc32() const { return raw_.crc32(); }
  /// Where the pages of each copy really are.
  [[nodiscard]] std::vector<CopyWhereabouts> where() const { return raw_.where(); }

  /// Exchanges memory and layout: double buffers.
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
