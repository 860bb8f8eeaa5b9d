// Which allocation a page belongs to: a tree over the address space, read without locks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::inside {

/// What a page of the heap can belong to.
struct PageOwner {
  bool large;  ///< a LargeBlock, else a Slab
};

/// The owner of the page at `address`; null: none of ours.
[[nodiscard]] PageOwner* page_owner(const void* address);
/// Sets the owner of `pages` pages (null: none). False: out of memory.
[[nodiscard]] bool set_page_owner(const void* address, std::size_t pages, PageOwner* owner);

}  // namespace Atoll::trace::inside
