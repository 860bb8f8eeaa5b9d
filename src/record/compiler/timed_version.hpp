// Instruments the version of a function that records timed streams. Each access is a call, in
// program order, that has the work before the access and the load that its address depends on.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/PassManager.h>

namespace Atoll::record::compiled {

void emit_timed(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

}  // namespace Atoll::record::compiled
