// Records accesses where they happen: the common case is inline.
#pragma once

#include <vector>

#include "trace/compiler/accesses.hpp"

namespace Atoll::trace::compiled {

/// Emits the recording of `accesses`, which are in order within each block.
void emit_fast_paths(llvm::Function& function, const std::vector<Access>& accesses);

/// Emits the calls for those that have no fast path, of whatever shape but plain.
void emit_calls(llvm::Function& function, const std::vector<Access>& accesses);

}  // namespace Atoll::trace::compiled
