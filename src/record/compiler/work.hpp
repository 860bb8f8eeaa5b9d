// Estimated cost of the instructions between accesses, for timed streams: an instruction count,
// divisions, and the steps of dependent floating-point operations.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include "atoll/record/access_style.hpp"

namespace Atoll::record::compiled {

/// Work of each instruction of a function, computed in the constructor.
class WorkOf {
 public:
  WorkOf(llvm::Function& function, llvm::LoopInfo& loops);
  /// Returns an instruction's own work, or 0 if it was inserted later. A load or store counts as
  /// one.
  [[nodiscard]] Work operator()(const llvm::Instruction& instruction) const {
    return works_.lookup(&instruction);
  }
  [[nodiscard]] bool knows(const llvm::Instruction& instruction) const {
    return works_.count(&instruction) != 0;
  }

 private:
  llvm::DenseMap<const llvm::Instruction*, Work> works_;
};

}  // namespace Atoll::record::compiled
