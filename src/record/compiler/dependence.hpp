// Determines the load that produced an address, for timed streams. The recorder numbers each
// recorded load at run time. Each value that depends on loads is paired with a second value, the
// number of the latest of these loads. PHIs are duplicated for it.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>

namespace Atoll::record::compiled {

class Dependence {
 public:
  explicit Dependence(const llvm::LoopInfo& loops) : loops_(loops) {}

  /// Sets the number of `value`. `number` must be available wherever `value` is.
  void know(const llvm::Value* value, llvm::Value* number) { numbers_[value] = number; }
  /// Returns the number of the latest load that `value` depends on, or a constant 0 if there is
  /// none. Call it after all calls of know().
  [[nodiscard]] llvm::Value* number_of(llvm::Value* value);
  /// Same for all values of an expression, available at `at`, which must follow them.
  [[nodiscard]] llvm::Value* number_of(const llvm::SCEV* expression, llvm::Instruction* at);
  /// Returns the number for an address that `at` uses. Returns 0 if the number is invariant in the
  /// loop around `at`, since a load before the loop has completed.
  [[nodiscard]] llvm::Value* number_for(llvm::Value* address, const llvm::Instruction* at);

 private:
  llvm::Value* find(llvm::Value* value, unsigned depth);
  llvm::Value* through(llvm::PHINode& phi, unsigned depth);
  static llvm::Value* last_of(llvm::Value* a, llvm::Value* b, llvm::Instruction* at);

  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::Value*, llvm::Value*> numbers_;
};

}  // namespace Atoll::record::compiled
