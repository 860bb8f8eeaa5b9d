// What the instructions between accesses cost, for timed streams: about as many as the processor
// will have, of those that take long by themselves.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Function.h>

#include <cstdint>

namespace Atoll::trace::compiled {

struct Work {
  std::uint32_t instructions = 0, divisions = 0, chain = 0;

  Work& operator+=(const Work& other) {
    instructions += other.instructions;
    divisions += other.divisions;
    chain += other.chain;
    return *this;
  }
  [[nodiscard]] bool is_none() const { return (instructions | divisions | chain) == 0; }
};

/// The work of a function's instructions, as they are when this is made.
class WorkOf {
 public:
  WorkOf(llvm::Function& function, llvm::LoopInfo& loops);
  /// An instruction's own; none for one that came later. A load or store counts as one here.
  [[nodiscard]] Work operator()(const llvm::Instruction& instruction) const {
    return works_.lookup(&instruction);
  }
  [[nodiscard]] bool knows(const llvm::Instruction& instruction) const {
    return works_.count(&instruction) != 0;
  }

 private:
  llvm::DenseMap<const llvm::Instruction*, Work> works_;
};

}  // namespace Atoll::trace::compiled
