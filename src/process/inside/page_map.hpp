// Finds the allocation that owns a page, with a tree over the address space that is read
// without locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

/// Common base of the structures that own pages of the heap.
struct PageOwner {
  bool large;  ///< true for a LargeBlock, false for a Slab
};

/// Returns the owner of the page at `address`; null if the page isn't one of Atoll's heap.
[[nodiscard]] PageOwner* page_owner(const void* address);
/// Sets the owner of `pages` pages (null for none). Returns false if memory is short.
[[nodiscard]] bool set_page_owner(const void* address, std::size_t pages, PageOwner* owner);

}  // namespace Atoll::process::inside
