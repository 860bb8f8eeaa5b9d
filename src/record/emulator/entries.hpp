// Counts accesses at a block's entry, with addresses computed from the guest's registers in the
// emulator's CPU state.
#pragma once

#include "record/emulator/block_plan.hpp"
#include "record/emulator/qemu_api.hpp"

namespace Atoll::record::dbi {

/// Returns the rules that hold so far. The location of the registers is an assumption; the first
/// blocks of each process verify it.
[[nodiscard]] EntryRules entry_rules(std::uint64_t block_address);

/// Unless the verification is finished, uses a planned block for it. The block's entry must have no
/// other callback.
void test_register_location(qemu_plugin_tb* block, const BlockPlan& plan);

void watch_entry(qemu_plugin_tb* block, const AtEntry& entry);

}  // namespace Atoll::record::dbi
