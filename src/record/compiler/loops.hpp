// Accesses whose addresses advance by a constant step per loop iteration. One call before the loop
// (or before the loop around it) records them, so the loop body is unchanged and vectorises.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

#include "record/compiler/accesses.hpp"

namespace Atoll::record::compiled {

class Ranges {
 public:
  using Loops = llvm::SmallPtrSet<const llvm::Loop*, 8>;
  struct Dimension {
    const llvm::SCEV* step;
    const llvm::SCEV* trips;
    friend bool operator==(const Dimension&, const Dimension&) = default;
  };
  struct Range {
    llvm::Loop* loop;  ///< the outermost loop of the dimensions
    const llvm::SCEV* start;
    llvm::SmallVector<Dimension, 2> dimensions;  ///< innermost first
    std::uint64_t bytes;
    std::uint32_t reads, writes;
    llvm::Loop* inner;                                  ///< the innermost loop that contains the
                                                        ///< accesses
    llvm::SmallVector<llvm::Instruction*, 2> accesses;  ///< the instructions that the range records
  };
  /// Appends the last arguments of a range's call, in place of a Meta.
  using AppendArguments =
      llvm::function_ref<void(const Range& range, bool more, llvm::IRBuilder<>& builder,
                              llvm::SmallVectorImpl<llvm::Value*>& arguments)>;

  Ranges(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::DominatorTree& tree)
      : loops_(loops), evolution_(evolution), tree_(tree) {}

  /// In loops of this set, ranges of an inner loop are hoisted out of that inner loop only. So they
  /// are recorded nearly in program order with the set's other accesses. A loop of the set has at
  /// most kMaxParts reads and writes in ranges.
  static constexpr std::uint32_t kMaxParts = 32;  // record::kWalksOfLoop
  void keep_order_in(const Loops& loops) { ordered_ = loops; }

  /// Adds `access` to a range and returns true, or returns false if it can't be hoisted.
  bool try_hoist(const InstructionAccess& access);
  /// Emits the calls. The function's loops must be unchanged since try_hoist().
  void emit();
  /// Same as emit() for a timed stream. Returns one call per range, in the order of ranges().
  std::vector<llvm::CallInst*> emit_timed(AppendArguments append);
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  struct LoopFacts {
    /// Executions of the loop body, at least 1, as a 64-bit value. Null if the number is unknown
    /// before the loop, if the loop has an early exit, or if it contains an instruction that
    /// accesses must not be reordered with.
    const llvm::SCEV* trips = nullptr;
  };
  const LoopFacts& facts_of(llvm::Loop* loop);
  [[nodiscard]] LoopFacts examine(llvm::Loop* loop);
  /// Adds `loop` as the range's next outer dimension. Returns false if the accesses of `block`
  /// don't advance by a constant step in `loop`.
  bool add_outer_dimension(llvm::Loop* loop, const llvm::BasicBlock* block, Range& range);
  [[nodiscard]] std::uint32_t parts_of(const llvm::Loop* loop) const;
  [[nodiscard]] bool is_expandable(const Range& range);

  llvm::CallInst* emit(const Range& range, bool timed, bool more, AppendArguments append);

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& tree_;
  llvm::DenseMap<llvm::Loop*, LoopFacts> facts_;
  std::vector<Range> ranges_;
  Loops ordered_;
};

}  // namespace Atoll::record::compiled
