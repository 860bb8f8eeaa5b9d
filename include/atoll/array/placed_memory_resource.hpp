// Memory for containers, with a layout chosen independently of the code that uses them: for
// std::pmr's containers directly, and for others through Allocator<T>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>

#include "atoll/array/raw_array.hpp"
#include "atoll/base/error.hpp"
#include "atoll/memory/block.hpp"
#include "atoll/plan/layout.hpp"

namespace Atoll {

/// Thrown by allocate() if memory can't be placed, as containers expect a std::bad_alloc. what() is
/// the message of the Error.
class PlacementError final : public std::bad_alloc {
 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): it is a member
  explicit PlacementError(Error error) noexcept : error_(std::move(error)) {}
  [[nodiscard]] const char* what() const noexcept override { return error_.what(); }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// All functions except release() may be called from any thread at any time, also from within a
/// team's run(): the calling thread places pages itself. A block may be freed by another thread
/// than the one that allocated it.
///
/// Small blocks are allocated in chunks (2 MiB, or one page if that is larger). Large blocks (above
/// a quarter of a chunk) have their own pages. Meaning of the layouts:
/// - SingleNode: all memory is on that node.
/// - Distributed: granules are on the nodes in turn, continuing from one chunk or large block to
///   the next.
/// - Partitioned: a small block is on the part's node that is nearest to its thread; a large block
///   is divided into equal parts.
///
/// An empty chunk is returned to the system, except that each lock keeps one. There are as many
/// locks as the team has threads, up to 8 (and as many for each node of a Partitioned layout; one
/// if pages are 1 GiB). Each thread uses one of them, by its number.
class PlacedMemoryResource final : public std::pmr::memory_resource {
 public:
  /// Snapshot of the counters. It is exact if no other thread allocates at the same time.
  struct Statistics {
    std::uint64_t bytes_in_use = 0;       ///< as requested
    std::uint64_t bytes_mapped = 0;       ///< whole pages
    std::uint64_t peak_bytes_mapped = 0;  ///< maximum of bytes_mapped so far
    std::uint64_t allocations = 0;        ///< so far
    std::uint64_t frees = 0;              ///< so far; release() counts all blocks in use as freed
  };

  /// Allocates no memory yet. The objects that `context` refers to must outlive the resource.
  /// Throws Error (input) for layouts that Array would refuse, for layouts with several copies (a
  /// container has one), and for parts with bounds (which count elements).
  PlacedMemoryResource(const memory::Context& context, const Layout& layout,
                       memory::WhenFull when_full = memory::WhenFull::spill);
  /// Frees everything, as release() does.
  ~PlacedMemoryResource() override;
  PlacedMemoryResource(const PlacedMemoryResource&) = delete;
  PlacedMemoryResource& operator=(const PlacedMemoryResource&) = delete;

  /// Returns all memory to the system, even blocks in use. Must not be called while other threads
  /// allocate.
  void release() noexcept;

  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] Statistics statistics() const;
  /// Actual nodes of all mapped pages, block after block. Slow: queries the system.
  [[nodiscard]] CopyWhereabouts where() const;

 private:
  /// Supports any alignment. Throws PlacementError or another std::bad_alloc.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  struct State;
  std::unique_ptr<State> state_;
};

/// A standard allocator on a resource, which must outlive it. Unlike std::pmr's, it propagates when
/// a container is copied, moved or swapped: a copy has the layout of its original.
template <class T>
class Allocator {
 public:
  using value_type = T;
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  using is_always_equal = std::false_type;

  Allocator(PlacedMemoryResource& resource) noexcept : resource_(&resource) {}
  template <class Other>
  Allocator(const Allocator<Other>& other) noexcept : resource_(&other.resource()) {}

  /// Throws the resource's errors, or std::bad_array_new_length for sizes beyond the address space.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > SIZE_MAX / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(resource_->allocate(count * sizeof(T), alignof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept {
    resource_->deallocate(block, count * sizeof(T), alignof(T));
  }

  [[nodiscard]] PlacedMemoryResource& resource() const noexcept { return *resource_; }
  template <class Other>
  friend bool operator==(const Allocator& a, const Allocator<Other>& b) noexcept {
    return &a.resource() == &b.resource();
  }

 private:
  PlacedMemoryResource* resource_;
};

}  // namespace Atoll
