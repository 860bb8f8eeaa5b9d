// Inside a watched program: large allocations that lie in a file without a name, so that their
// pages can be withdrawn. The next access of a withdrawn page is a fault that the kernel resolves
// by itself, by thread and address known to perf: data stay, and system calls work on the page as
// before. Page protection does neither (stdio gets EFAULT, condition variables abort).
#pragma once

#include <cstddef>

namespace Atoll::trace::sample {

/// Whether an allocation is to have pages of its own at all: yes where nobody samples. libc uses
/// the same memory for one allocation after the other; fresh pages for each would cost programs
/// with many of them a multiple of their time.
[[nodiscard]] bool takes(std::size_t bytes);
/// Whole untouched pages of an allocation: puts them into the file, where this process is sampled
/// ($ATOLL_SAMPLING) and it can; else leaves them as they are.
void back(void* address, std::size_t bytes);
/// Before an allocation's pages go.
void forget(void* address, std::size_t bytes);
/// The program itself mapped or unmapped memory there.
void replaced(void* address, std::size_t bytes);
/// Are allocations backed here? They can't be moved by mremap then: another's part of the file
/// would appear behind them.
[[nodiscard]] bool is_sampled();

}  // namespace Atoll::trace::sample
