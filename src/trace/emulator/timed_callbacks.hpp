// Instruments a block of the guest for a timed stream.
#pragma once

#include "trace/emulator/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// Records a block's accesses and the work between them. All code of the block must be the guest's
/// own.
void watch_timed(qemu_plugin_tb* block);

}  // namespace Atoll::trace::dbi
