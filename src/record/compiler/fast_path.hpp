// Emits inline code that records accesses at their instructions.
#pragma once

#include <vector>

#include "record/compiler/accesses.hpp"

namespace Atoll::record::compiled {

/// Emits code that records `accesses`, which must be in program order within each block.
void emit_fast_paths(llvm::Function& function, const std::vector<InstructionAccess>& accesses);

/// Emits library calls for accesses of any shape but plain.
void emit_calls(llvm::Function& function, const std::vector<InstructionAccess>& accesses);

}  // namespace Atoll::record::compiled
