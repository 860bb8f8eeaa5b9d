// Calls that say where memory and threads are to be, told after they succeeded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::trace::inside::waits {

void told_range_policy(std::uint64_t address, std::uint64_t bytes, long mode,
                       const unsigned long* nodes, unsigned long bits, unsigned long flags);
void told_thread_policy(long mode, const unsigned long* nodes, unsigned long bits);
void told_move(std::size_t count, void* const* pages, const int* nodes, const int* status);
/// The kernel has mapped the range's pages.
void told_populated(std::uint64_t address, std::uint64_t bytes, bool as_by_writes);
/// `thread`: 0 for this one, a tid or a pthread_t.
void told_binding(std::uint64_t thread, const void* pus, std::size_t bytes);

}  // namespace Atoll::trace::inside::waits
