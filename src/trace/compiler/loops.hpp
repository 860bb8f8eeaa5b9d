// Accesses whose addresses a loop walks through in equal steps. One call before the loop (or before
// the loop around it) records them, so the loop itself stays as it was and vectorises.
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

#include "trace/compiler/accesses.hpp"

namespace Atoll::trace::compiled {

class Ranges {
 public:
  using Loops = llvm::SmallPtrSet<const llvm::Loop*, 8>;
  struct Dimension {
    const llvm::SCEV* step;
    const llvm::SCEV* trips;
    friend bool operator==(const Dimension&, const Dimension&) = default;
  };
  struct Range {
    llvm::Loop* loop;  ///< the outermost of the dimensions
    const llvm::SCEV* start;
    llvm::SmallVector<Dimension, 2> dimensions;  ///< innermost first
    std::uint64_t bytes;
    std::uint32_t reads, writes;
    llvm::Loop* inner;                                  ///< the accesses' own loop
    llvm::SmallVector<llvm::Instruction*, 2> accesses;  ///< that it stands for
  };
  /// Appends the arguments behind a range's addresses: instead of a Meta.
  using Tell = llvm::function_ref<void(const Range& range, bool more, llvm::IRBuilder<>& builder,
                                       llvm::SmallVectorImpl<llvm::Value*>& arguments)>;

  Ranges(llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, llvm::DominatorTree& tree)
      : loops_(loops), evolution_(evolution), tree_(tree) {}

  /// Accesses of a loop in one of these loops are recorded before the inner one only: so they come
  /// nearly in the order of what else is accessed there. A loop has no more than kMaxParts of them.
  static constexpr std::uint32_t kMaxParts = 32;  // recorder::kWalksOfLoop
  void keep_order_in(const Loops& loops) { ordered_ = loops; }

  /// Returns true if `access` will be recorded before a loop.
  bool take(const Access& access);
  /// Emits the calls. The function's loops must not have changed since.
  void emit();
  /// The same for a timed stream. Returns each range's call; they are in the order of ranges().
  std::vector<llvm::CallInst*> emit_timed(Tell tell);
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

 private:
  struct LoopFacts {
    /// Executions of its body, at least 1, in 64 bits. Null if not known beforehand, if the loop
    /// may be left early, or if an access must not overtake something in it.
    const llvm::SCEV* trips = nullptr;
  };
  const LoopFacts& facts_of(llvm::Loop* loop);
  [[nodiscard]] LoopFacts examine(llvm::Loop* loop);
  /// Goes one loop further out. Returns false if `block`, with addresses from `start`, doesn't walk
  /// through it.
  bool step_out(llvm::Loop* loop, const llvm::BasicBlock* block, Range& range);
  [[nodiscard]] std::uint32_t parts_of(const llvm::Loop* loop) const;
  [[nodiscard]] bool is_expandable(const Range& range);

  llvm::CallInst* emit(const Range& range, bool timed, bool more, Tell tell);

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  llvm::DominatorTree& tree_;
  llvm::DenseMap<llvm::Loop*, LoopFacts> facts_;
  std::vector<Range> ranges_;
  Loops ordered_;
};

}  // namespace Atoll::trace::compiled
