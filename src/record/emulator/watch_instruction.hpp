// Instruments an instruction of the guest during translation.
#pragma once

#include "record/emulator/block_plan.hpp"
#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

/// Counts each load and store individually.
void watch_each(qemu_plugin_insn* instruction, const Instruction& decoded);
/// Counts accesses as planned for the instruction's block.
void watch_accesses(qemu_plugin_insn* instruction, const Watch& watch);
/// Adds a callback that does nothing. It works around a bug of qemu 7.2: if the last instruction of
/// a block has callbacks, qemu also calls them for the next atomic access of uninstrumented code.
void watch_nothing(qemu_plugin_insn* instruction);
/// Instruments an instruction by which the preloaded library calls another one for its own
/// purposes: nothing is counted until the return.
void watch_library_call(qemu_plugin_insn* instruction);
/// Instruments the instruction that such a call returns to.
void watch_library_return(qemu_plugin_insn* instruction);

}  // namespace Atoll::record::dbi
