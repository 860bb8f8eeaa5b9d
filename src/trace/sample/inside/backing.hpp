// Inside a watched program: large allocations that lie in a file without a name, so that their pages
// can be withdrawn. The next access of a withdrawn page is a fault that the kernel resolves by
// itself, by thread and address known to perf: data stay, and system calls work on the page as
// before. Page protection does neither (stdio gets EFAULT, condition variables abort).
#pragma once

#include <cstddef>

namespace Atoll::trace::sample {

/// Whole untouched pages of an allocation: puts them into the file, where this process is sampled
/// ($ATOLL_SAMPLING) and it can; else leaves them as they are.
void back(void* address, std::size_t bytes);
/// Before the allocation's pages go.
void forget(void* address, std::size_t bytes);
/// Do parts of it lie in the file? Such allocations can't be moved by mremap: another's part of the
/// file would appear behind them.
[[nodiscard]] bool is_backed(void* address, std::size_t bytes);

}  // namespace Atoll::trace::sample
