// Backs large allocations of a watched program with an unnamed file (memfd), so that their pages
// can be withdrawn. The next access to a withdrawn page is a fault that the kernel resolves by
// itself; perf reports its thread and address. The data stay, and system calls work on the page as
// before. With page protection, system calls fail (stdio gets EFAULT, condition variables abort).
#pragma once

#include <cstddef>

namespace Atoll::record::sample {

/// Returns true if an allocation should have pages of its own; always true without sampling. libc
/// reuses the same memory for consecutive allocations. Fresh pages for each would multiply the run
/// time of programs with many allocations.
[[nodiscard]] bool takes(std::size_t bytes);
/// Maps whole untouched pages of an allocation from the file, if this process is sampled
/// ($ATOLL_SAMPLING) and the file is usable; otherwise has no effect.
void back(void* address, std::size_t bytes);
/// Must be called before an allocation's pages are freed.
void forget(void* address, std::size_t bytes);
/// Must be called when the program itself has mapped or unmapped memory in this range.
void replaced(void* address, std::size_t bytes);
/// Returns true if allocations are backed by the file. mremap must not grow or move them then: the
/// added pages would be another allocation's part of the file.
[[nodiscard]] bool is_sampled();

}  // namespace Atoll::record::sample
