// Which load an address comes from, for timed streams. Loads that are recorded have numbers, which
// the recording returns; beside each value that comes from loads goes the number of the last of
// them, through the same blocks and loops.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>

namespace Atoll::trace::compiled {

class Dependence {
 public:
  explicit Dependence(const llvm::LoopInfo& loops) : loops_(loops) {}

  /// The value's number is this one, known where the value is.
  void know(const llvm::Value* value, llvm::Value* number) { numbers_[value] = number; }
  /// Returns the number of the load that the value comes from: a 0 if it is none that is known.
  /// Call it once all are known.
  [[nodiscard]] llvm::Value* number_of(llvm::Value* value);
  /// The same of all values in an expression, at an instruction behind them.
  [[nodiscard]] llvm::Value* number_of(const llvm::SCEV* expression, llvm::Instruction* at);
  /// Returns the number for an address that `at` uses: in a loop that the value stays the same in,
  /// what comes from before the loop is there.
  [[nodiscard]] llvm::Value* number_for(llvm::Value* address, const llvm::Instruction* at);

 private:
  llvm::Value* find(llvm::Value* value, unsigned depth);
  llvm::Value* through(llvm::PHINode& phi, unsigned depth);
  static llvm::Value* last_of(llvm::Value* a, llvm::Value* b, llvm::Instruction* at);

  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> numbers_;
};

}  // namespace Atoll::trace::compiled
