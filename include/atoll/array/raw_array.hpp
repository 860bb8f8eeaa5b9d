// The parts of Array<T> that don't depend on T: copies by layout, fills, copies, and queries for
// the nodes of pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "atoll/array/write_set.hpp"
#include "atoll/memory/block.hpp"
#include "atoll/plan/choose_layouts.hpp"

namespace Atoll {

/// Placement of one copy of an array, as reported by the system.
struct CopyWhereabouts {
  std::vector<NodeId> pages;  ///< node of each 4 KiB page
  std::map<NodeId, std::uint64_t> pages_by_node;
  std::uint64_t misplaced = 0;  ///< pages that are not on the node of the layout
};

/// A placed array of elements of `element_bytes`. Functions named as in Array do the same.
class RawArray {
 public:
  RawArray() = default;
  /// Moves the content and leaves the source empty.
  RawArray(RawArray&& other) noexcept { swap(*this, other); }
  RawArray& operator=(RawArray&& other) noexcept {
    RawArray taken(std::move(other));
    swap(*this, taken);
    return *this;
  }
  RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
           const Layout& layout);
  RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
           const AccessPattern& pattern, const ChoiceOptions& options);
  RawArray(const memory::Context& context, std::size_t size, std::size_t element_bytes,
           const Choice& choice);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t element_bytes() const noexcept { return element_bytes_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * element_bytes_; }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] std::size_t copies() const noexcept { return blocks_.size(); }
  [[nodiscard]] std::byte* copy(std::size_t which) const noexcept {
    return blocks_.empty() ? nullptr : blocks_[which].data();
  }
  /// The copy that the calling thread reads.
  [[nodiscard]] const std::byte* nearest_copy() const noexcept {
    return blocks_.empty() ? nullptr : blocks_[nearest_index()].data();
  }

  std::uint64_t move_to(const memory::Context& context, const Layout& layout);
  void fill(const void* element);
  void copy_from(const RawArray& source);
  void copy_from(const RawArray& source, WriteSet& written);
  /// Copies to positions `first` … `first + elements - 1` of every copy.
  void copy_from(const void* source, std::size_t elements, std::size_t first = 0);
  /// Throws Error (input) if the array has fewer than `elements` elements from position `first` on.
  void check_positions(std::size_t elements, std::size_t first) const;
  void sync();
  void sync(WriteSet& written);

  /// Jobs for a copy engine that write to every copy. The functions above run them on the context's
  /// engine, those of array/transfer.hpp on any.
  [[nodiscard]] memory::CopyJob copy_job(const RawArray& source) const;
  [[nodiscard]] memory::CopyJob copy_job(const void* source, std::size_t elements,
                                         std::size_t first) const;
  [[nodiscard]] memory::CopyJob fill_job(const void* element) const;
  friend void swap(RawArray& a, RawArray& b) noexcept;
  [[nodiscard]] std::uint32_t crc32() const;
  [[nodiscard]] std::vector<CopyWhereabouts> where() const;
  [[nodiscard]] const memory::Block& block(std::size_t which) const { return blocks_[which]; }

 private:
  void allocate(const memory::Context& context);
  void use_threads_of(const memory::Context& context);
  void find_nearest_copies(const Machine& machine);
  [[nodiscard]] std::uint64_t misplaced_pages() const;
  void check(const WriteSet& written) const;
  void check_size_of(const RawArray& source) const;
  void perform(memory::CopyJob job) const;
  /// Node of all pages of a copy; memory::kNowhere if the layout names no single node.
  [[nodiscard]] NodeId node_of(std::size_t copy) const;
  /// Index of the copy that threads on `node` read.
  [[nodiscard]] std::size_t nearest_index(NodeId node) const noexcept {
    return node.value < copy_of_node_.size() ? copy_of_node_[node.value] : 0;
  }
  template <class Work>
  void on_all_copies(std::size_t first_copy, std::size_t count, Work&& work) const;
  [[nodiscard]] std::size_t nearest_index() const noexcept;

  std::size_t size_ = 0;
  std::size_t element_bytes_ = 1;
  Layout layout_;
  std::vector<memory::Block> blocks_;           ///< one block per copy, the master first
  std::vector<std::uint32_t> copy_of_node_;     ///< nearest copy, indexed by the initiator's number
  std::weak_ptr<const Team> team_;              ///< if expired, the calling thread does all work
  std::shared_ptr<memory::CopyEngine> engine_;  ///< runs the team, so it is not used without it
};

}  // namespace Atoll
