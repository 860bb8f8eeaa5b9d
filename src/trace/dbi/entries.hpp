// What is counted when a block begins: from the guest's registers, as the emulator keeps them.
#pragma once

#include "trace/dbi/block_plan.hpp"
#include "trace/dbi/qemu_api.hpp"

namespace Atoll::trace::dbi {

/// By what is known of the emulator so far: where it keeps registers is an assumption, which the
/// first blocks of each process prove or not.
[[nodiscard]] EntryRules entry_rules(std::uint64_t block_address);

/// Until they have done so: a planned block of which no more is to be watched at its beginning.
void prove_entries(qemu_plugin_tb* block, const BlockPlan& plan);

void watch_entry(qemu_plugin_tb* block, const AtEntry& entry);

}  // namespace Atoll::trace::dbi
