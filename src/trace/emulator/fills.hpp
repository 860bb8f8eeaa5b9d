// Pages that the system fills for a thread of a 64-bit guest: MAP_POPULATE, MADV_POPULATE_WRITE,
// mlock, read, and the pages of a file that the thread wrote. Linux allocates them on the node of
// that thread, which may never access them. And pages that the page cache had when they were
// mapped.
#pragma once

#include <cstdint>

#include "trace/emulator/guest.hpp"

namespace Atoll::trace::dbi {

/// Called when the preloaded library tells of the program's first thread.
void note_begin();
/// Called before each system call.
void note_before_fills(const SystemCall& call);
/// Called after each system call.
void note_fills(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::trace::dbi
