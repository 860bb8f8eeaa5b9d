// Memory for containers whose layout is chosen apart from the code that uses them: for std::pmr's
// containers directly, and for all others through Allocator<T>.
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

/// What allocate() throws if memory can't be placed, since containers expect a std::bad_alloc.
/// what() is the line of the Error.
class PlacementError final : public std::bad_alloc {
 public:
  // NOLINTNEXTLINE(bugprone-throw-keyword-missing): it is a member
  explicit PlacementError(Error error) noexcept : error_(std::move(error)) {}
  [[nodiscard]] const char* what() const noexcept override { return error_.what(); }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};

/// All functions but release() may be called from any thread at any time, in a run() of a team as
/// well: the calling thread places pages itself. Memory freed by another thread goes back to where
/// it came from.
///
/// Small blocks are carved from chunks (2 MiB, or one page if that is larger); large ones (above a
/// quarter of a chunk) have pages of their own. What the layouts mean:
/// - SingleNode: all of it is there.
/// - Distributed: granules go to the nodes in turn, from one chunk or large block to the next.
/// - Partitioned: a small block is on its thread's node (that of the parts which is nearest to it);
///   a large one is cut into equal parts.
///
/// A chunk goes back to the system when nothing in it is in use, except that each lock keeps one.
/// There are as many locks as the team has threads, up to 8 (and as many for each node of a
/// Partitioned layout; one if pages are 1 GiB); each thread uses one of them, by its id.
class PlacedMemoryResource final : public std::pmr::memory_resource {
 public:
  /// The figures of one moment. They are exact if no other thread allocates meanwhile.
  struct Statistics {
    std::uint64_t bytes_in_use = 0;       ///< as requested
    std::uint64_t bytes_mapped = 0;       ///< whole pages
    std::uint64_t peak_bytes_mapped = 0;  ///< the most at once so far
    std::uint64_t allocations = 0;        ///< so far
    std::uint64_t frees = 0;              ///< so far; release() frees all that is in use
  };

  /// Takes no memory yet. What `context` refers to outlives the resource. Throws Error (input) for
  /// a layout of several copies (a container has one), of parts with bounds (they are of elements),
  /// or that Array would refuse.
  PlacedMemoryResource(const memory::Context& context, const Layout& layout,
                       memory::WhenFull when_full = memory::WhenFull::spill);
  /// Frees everything, as release() does.
  ~PlacedMemoryResource() override;
  PlacedMemoryResource(const PlacedMemoryResource&) = delete;
  PlacedMemoryResource& operator=(const PlacedMemoryResource&) = delete;

  /// Gives all memory back to the system, even what is in use. Must not be called while others
  /// allocate.
  void release() noexcept;

  [[nodiscard]] const Layout& layout() const noexcept;
  [[nodiscard]] Statistics statistics() const;
  /// Where all mapped pages really are, block after block. It asks the system, and so takes long.
  [[nodiscard]] CopyWhereabouts where() const;

 private:
  /// Honours any alignment. Throws PlacementError, or another std::bad_alloc.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* block, std::size_t bytes, std::size_t alignment) noexcept override;
  [[nodiscard]] bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  struct State;
  std::unique_ptr<State> state_;
};

/// A standard allocator over a resource, which outlives it. Unlike std::pmr's, it goes along when a
/// container is copied, moved or swapped: a copy has the layout of its original.
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

  /// Throws the resource's errors; std::bad_array_new_length for sizes beyond the address space.
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
