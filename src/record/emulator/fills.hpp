// Records pages that the kernel fills for a thread of a 64-bit guest: by MAP_POPULATE,
// MADV_POPULATE_WRITE, mlock or read, and pages of a file that the thread wrote. Linux allocates
// them on that thread's node, even if the thread never accesses them. Also records mapped pages
// that were already in the page cache.
#pragma once

#include <cstdint>

#include "record/emulator/guest.hpp"

namespace Atoll::record::dbi {

/// Called when the preloaded library reports the program's first thread.
void note_begin();
/// Called before each system call.
void note_before_fills(const SystemCall& call);
/// Called after each system call.
void note_fills(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::record::dbi
