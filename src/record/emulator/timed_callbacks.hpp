// Instruments a block of the guest for a timed stream.
#pragma once

#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

/// Records a block's accesses and the work between them. All code of the block must be the guest's
/// own.
void watch_timed(qemu_plugin_tb* block);

}  // namespace Atoll::record::dbi
