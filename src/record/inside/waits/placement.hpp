// Records calls that make the kernel map memory or bind threads, after the calls have succeeded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace Atoll::record::inside::waits {

/// Records that the kernel has mapped the range's pages.
void record_populated(std::uint64_t address, std::uint64_t bytes, bool as_by_writes);
/// Records a binding. `thread`: 0 for the calling thread, else a tid or a pthread_t.
void record_binding(std::uint64_t thread, const void* pus, std::size_t bytes);

}  // namespace Atoll::record::inside::waits
