// Finds the allocation that a page belongs to: a tree over the address space, read without locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::process::inside {

/// A page of the heap belongs to one of these.
struct PageOwner {
  bool large;  ///< a LargeBlock, else a Slab
};

/// Returns the owner of the page at `address`; null if the page isn't ours.
[[nodiscard]] PageOwner* page_owner(const void* address);
/// Sets the owner of `pages` pages (null: none). Returns false if memory is short.
[[nodiscard]] bool set_page_owner(const void* address, std::size_t pages, PageOwner* owner);

}  // namespace Atoll::process::inside
