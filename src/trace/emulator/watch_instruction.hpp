// What the plugin adds to an instruction of the guest when it is translated.
#pragma once

#include "trace/emulator/block_plan.hpp"
#include "trace/emulator/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// Counts its loads and stores, each by itself.
void watch_each(qemu_plugin_insn* instruction);
/// Counts them as the plan of its block says.
void watch_accesses(qemu_plugin_insn* instruction, const Watch& watch);
/// Counts nothing. After an instruction with callbacks that ends its block, qemu 7.2 calls these
/// for the next atomic access of code that isn't watched.
void watch_nothing(qemu_plugin_insn* instruction);
/// Watches an instruction that calls another library on the preloaded one's behalf: until the
/// return nothing is counted.
void watch_library_call(qemu_plugin_insn* instruction);
/// Watches the instruction that such a call returns to.
void watch_library_return(qemu_plugin_insn* instruction);

}  // namespace Atoll::trace::dbi
