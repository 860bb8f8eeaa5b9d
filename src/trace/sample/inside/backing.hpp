// Inside a watched program, large allocations lie in a file without a name, so that their pages can
// be withdrawn. The next access of a withdrawn page is a fault that the kernel resolves by itself;
// perf sees its thread and address. Data stay, and system calls work on the page as before. Page
// protection does neither (stdio gets EFAULT, condition variables abort).
#pragma once

#include <cstddef>

namespace Atoll::trace::sample {

/// True if an allocation should have pages of its own; always true if nobody samples. libc uses the
/// same memory for one allocation after the other; fresh pages for each would cost programs with
/// many of them a multiple of their time.
[[nodiscard]] bool takes(std::size_t bytes);
/// Puts whole untouched pages of an allocation into the file, if this process is sampled
/// ($ATOLL_SAMPLING) and it can; else leaves them as they are.
void back(void* address, std::size_t bytes);
/// Called before an allocation's pages go.
void forget(void* address, std::size_t bytes);
/// The program itself mapped or unmapped memory there.
void replaced(void* address, std::size_t bytes);
/// True if allocations are backed here. mremap must not move them then: another's part of the file
/// would appear behind them.
[[nodiscard]] bool is_sampled();

}  // namespace Atoll::trace::sample
