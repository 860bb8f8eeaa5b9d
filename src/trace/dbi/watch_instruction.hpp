// What is done at an instruction of the guest, as the plugin asks for when it is translated.
#pragma once

#include "trace/dbi/block_plan.hpp"
#include "trace/dbi/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// Its loads and stores are counted, each by itself.
void watch_each(qemu_plugin_insn* instruction);
/// They are counted as a plan of its block says.
void watch_accesses(qemu_plugin_insn* instruction, const Watch& watch);
/// It calls another library on the preloaded one's behalf: until the return nothing is counted.
void watch_library_call(qemu_plugin_insn* instruction);
/// Where such a call returns to.
void watch_library_return(qemu_plugin_insn* instruction);

}  // namespace Atoll::trace::dbi
