// The version of a function that records timed streams: every access by a call, in its order, with
// the work before it and the load that its address comes from.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace Atoll::trace::compiled {

void emit_timed(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace Atoll::trace::compiled
