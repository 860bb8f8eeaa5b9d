// Pages that the system fills for a thread: MAP_POPULATE, MADV_POPULATE_WRITE, mlock, read, and the
// pages of a file that the thread wrote. Linux allocates them on the node of that thread, which may
// never access them.
#pragma once

#include <cstdint>

#include "trace/emulator/guest.hpp"

namespace Atoll::trace::dbi {

/// Called after each system call of a 64-bit guest.
void note_fills(const SystemCall& call, std::int64_t result);

}  // namespace Atoll::trace::dbi
