// What is counted when a block begins, from the guest's registers as the emulator keeps them.
#pragma once

#include "trace/emulator/block_plan.hpp"
#include "trace/emulator/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// Returns the rules by what is known of the emulator so far. Where it keeps registers is an
/// assumption, which the first blocks of each process prove or disprove.
[[nodiscard]] EntryRules entry_rules(std::uint64_t block_address);

/// Uses a planned block to prove it, as long as that is open. Nothing else may be watched at the
/// block's beginning.
void prove_entries(qemu_plugin_tb* block, const BlockPlan& plan);

void watch_entry(qemu_plugin_tb* block, const AtEntry& entry);

}  // namespace Atoll::trace::dbi
