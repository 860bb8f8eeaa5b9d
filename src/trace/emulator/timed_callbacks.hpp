// What the plugin adds to a block of the guest for a timed stream.
#pragma once

#include "trace/emulator/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// Records a block's accesses, and what it does between them. The block has only the guest's own
/// code.
void watch_timed(qemu_plugin_tb* block);

}  // namespace Atoll::trace::dbi
