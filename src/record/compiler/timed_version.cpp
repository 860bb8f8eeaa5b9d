// Work is added to the thread's counts block by block, so the sum is right for every path. Loops
// whose accesses are all in ranges stay unchanged: their ranges carry the work. In other loops,
// ranges are stepped: each iteration increments a step count, and the next access reports the
// steps.
#include "record/compiler/timed_version.hpp"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "record/compiler/abi.hpp"
#include "record/compiler/accesses.hpp"
#include "record/compiler/dependence.hpp"
#include "record/compiler/fast_path.hpp"
#include "record/compiler/loops.hpp"
#include "record/compiler/work.hpp"
#include "record/region.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;
using record::TimedCounts;

/// Offset of ThreadState::timed, which follows the slots; checked in compiled_calls.cpp.
constexpr std::uint64_t kCountsAt = record::kSlots * sizeof(record::Slot);

std::uint32_t at_most(std::uint64_t count, std::uint32_t limit) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(count, limit));
}

TimedMeta with_work(Meta meta, const Work& work, bool atomic = false) {
  return {.meta = meta,
          .atomic = atomic,
          .work = {.instructions = at_most(work.instructions, kMaxMetaInstructions),
                   .divisions = at_most(work.divisions, kMaxMetaSlow),
                   .chain = at_most(work.chain, kMaxMetaSlow)}};
}

class TimedVersion {
 public:
  TimedVersion(Function& function, FunctionAnalysisManager& analyses)
      : function_(function),
        module_(*function.getParent()),
        loops_(analyses.getResult<LoopAnalysis>(function)),
        tree_(analyses.getResult<DominatorTreeAnalysis>(function)),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        assumptions_(analyses.getResult<AssumptionAnalysis>(function)),
        ranges_(loops_, evolution_, tree_),
        dependence_(loops_) {}

  void emit() {
    const bool hoists = !function_.hasOptNone() && !loops_.empty();
    if (hoists)
      for (Loop* loop : loops_)
        simplifyLoop(loop, &tree_, &loops_, &evolution_, &assumptions_, nullptr, false);
    accesses_ = accesses_of(function_);
    if (hoists) hoist();
    work_.emplace(function_, loops_);
    for (const BasicBlock& block : function_)
      blocks_of_[loops_.getLoopFor(&block)].push_back(&block);
    SmallVector<BasicBlock*, 32> blocks;
    for (BasicBlock& block : function_) blocks.push_back(&block);
    find_state();
    std::vector<CallInst*> calls;
    if (hoists) calls = emit_ranges();
    for (BasicBlock* block : blocks) emit_block(*block);
    set_dependence(calls);
    std::vector<InstructionAccess> others;
    llvm::copy_if(accesses_, std::back_inserter(others),
                  [](const InstructionAccess& access) { return access.shape != Shape::plain; });
    emit_calls(function_, others);
  }

 private:
  struct Told {
    CallInst* call;
    Value* pointer;
  };

  /// Moves accesses that are in ranges from accesses_ to ranges_.
  void hoist() {
    Ranges first(loops_, evolution_, tree_);
    for (const InstructionAccess& access : accesses_)
      if (!first.try_hoist(access))
        for (const Loop* loop = loops_.getLoopFor(access.at->getParent()); loop != nullptr;
             loop = loop->getParentLoop())
          mixed_.insert(loop);
    ranges_.keep_order_in(mixed_);
    llvm::erase_if(accesses_,
                   [&](const InstructionAccess& access) { return ranges_.try_hoist(access); });
    for (const Ranges::Range& range : ranges_.ranges())
      if (mixed_.contains(range.loop) && can_step(*range.loop)) stepped_.insert(range.loop);
  }

  /// True if no access within the loop forces its ranges to end early.
  bool can_step(const Loop& loop) {
    for (const Ranges::Range& range : ranges_.ranges()) {
      if (range.loop != &loop) {
        if (loop.contains(range.loop)) return false;
        continue;
      }
      if (range.dimensions.size() != 1) return false;
    }
    const bool has_others = llvm::any_of(accesses_, [&](const InstructionAccess& access) {
      return (access.shape == Shape::variable || access.memory) && loop.contains(access.at);
    });
    return !has_others;
  }

  /// True if ranges carry the work of the loop's own blocks.
  bool is_covered(const Loop* loop) {
    return loop != nullptr && !mixed_.contains(loop) &&
           llvm::any_of(ranges_.ranges(),
                        [&](const Ranges::Range& range) { return range.inner == loop; });
  }

  Work work_of_iteration(const Loop& loop) {
    Work sum;
    for (const BasicBlock* block : blocks_of_[&loop]) {
      Work work;
      for (const Instruction& at : *block) work += work_of(at);
      if (!tree_.dominates(block, loop.getLoopLatch())) {  // assumed to run every second iteration
        work.instructions /= 2;
        work.divisions /= 2;
        work.chain /= 2;
      }
      sum += work;
    }
    return sum;
  }

  /// Returns the work without the recorded access itself: the model adds an instruction for it.
  Work work_of(const Instruction& at) {
    Work work = (*work_)(at);
    if ((isa<LoadInst>(at) || isa<StoreInst>(at)) && work.instructions != 0) --work.instructions;
    return work;
  }

  std::vector<CallInst*> emit_ranges() {
    SmallPtrSet<const Loop*, 8> told;  // loops whose work is already in a range
    return ranges_.emit_timed([&](const Ranges::Range& range, bool more, IRBuilder<>& builder,
                                  SmallVectorImpl<Value*>& arguments) {
      Work work;
      if (is_covered(range.inner) && told.insert(range.inner).second)
        work = work_of_iteration(*range.inner);
      TimedMeta meta = with_work(
          {.bytes = static_cast<std::uint32_t>(range.bytes),
           .reads = range.reads,
           .writes = range.writes,
           .more = more},
          work, range.accesses.front()->isAtomic() && isa<AtomicRMWInst>(range.accesses.front()));
      meta.stepped = stepped_.contains(range.loop);
      arguments.push_back(builder.getInt64(0));  // set by set_dependence()
      arguments.push_back(builder.getInt64(meta.packed()));
    });
  }

  void find_state() {
    BasicBlock& entry = function_.getEntryBlock();
    BasicBlock::iterator begin = entry.begin();
    while (isa<AllocaInst>(*begin)) ++begin;
    IRBuilder<> builder(&*begin);
    FunctionCallee start =
        module_.getOrInsertFunction(kStart, FunctionType::get(builder.getInt8PtrTy(), false));
    cast<Function>(start.getCallee())->setDoesNotThrow();
    state_ = builder.CreateCall(start);
  }

  Value* count_at(std::size_t offset, IRBuilder<>& builder) {
    Value* place = builder.CreateConstGEP1_64(builder.getInt8Ty(), state_, kCountsAt + offset);
    return builder.CreateBitCast(place, PointerType::get(builder.getInt64Ty(), 0));
  }
  Value* add(std::size_t offset, std::uint64_t more, IRBuilder<>& builder) {
    Value* place = count_at(offset, builder);
    Value* before = builder.CreateLoad(builder.getInt64Ty(), place);
    builder.CreateStore(builder.CreateAdd(before, builder.getInt64(more)), place);
    return before;
  }
  void add(const Work& work, Instruction* at) {
    IRBuilder<> builder(at);
    if (work.instructions != 0)
      add(offsetof(TimedCounts, instructions), work.instructions, builder);
    if (const std::uint64_t slow = record::slow_word(work); slow != 0)
      add(offsetof(TimedCounts, slow), slow, builder);
  }

  /// Emits the increment of the loop's step count, and numbers the loads of its ranges.
  void emit_step(const Loop& loop) {
    IRBuilder<> builder(&*loop.getHeader()->getFirstInsertionPt());
    add(offsetof(TimedCounts, steps), 1, builder);
    std::uint64_t loads = 0;
    for (const Ranges::Range& range : ranges_.ranges())
      if (range.loop == &loop) loads += range.reads;
    if (loads == 0) return;
    Value* before = add(offsetof(TimedCounts, loads), loads, builder);
    std::uint64_t number = 0;
    for (const Ranges::Range& range : ranges_.ranges()) {
      if (range.loop != &loop) continue;
      std::uint64_t own = number;
      for (Instruction* at : range.accesses)
        if (at->mayReadFromMemory())
          dependence_.know(at, builder.CreateAdd(before, builder.getInt64(++own)));
      number += range.reads;
    }
  }

  void emit_block(BasicBlock& block) {
    const Loop* loop = loops_.getLoopFor(&block);
    const bool is_reported = is_covered(loop);
    SmallVector<Instruction*, 64> instructions;
    for (Instruction& at : block)
      if (work_->knows(at)) instructions.push_back(&at);
    Work work;
    for (Instruction* at : instructions) {
      while (next_ < accesses_.size() && accesses_[next_].at == at) {
        const InstructionAccess& access = accesses_[next_++];
        if (access.shape == Shape::plain) emit_access(access, work);
      }
      if (is_reported) continue;
      Work own = work_of(*at);
      const auto* call = dyn_cast<CallBase>(at);
      if (call == nullptr || isa<IntrinsicInst>(call)) {
        if (!at->isTerminator()) {
          work += own;
          continue;
        }
      }
      work += own;  // added before the call or the end of the block
      if (!isa<ReturnInst>(at) || block.getTerminatingMustTailCall() == nullptr) {
        add(work, at);
        work = {};
      }
    }
    if (loop != nullptr && loop->getHeader() == &block && stepped_.contains(loop)) emit_step(*loop);
  }

  void emit_access(const InstructionAccess& access, Work& work) {
    IRBuilder<> builder(access.at);
    const Meta meta{.bytes = static_cast<std::uint32_t>(access.bytes),
                    .reads = access.reads ? 1U : 0U,
                    .writes = access.writes ? 1U : 0U,
                    .memory = access.memory};
    const bool atomic = isa<AtomicRMWInst>(access.at) || isa<AtomicCmpXchgInst>(access.at);
    Type* wide = builder.getInt64Ty();
    FunctionCallee timed =
        module_.getOrInsertFunction(kTimed, FunctionType::get(wide, {wide, wide, wide}, false));
    cast<Function>(timed.getCallee())->setDoesNotThrow();
    CallInst* call = builder.CreateCall(
        timed, {builder.CreatePtrToInt(access.pointer, wide), builder.getInt64(0),
                builder.getInt64(with_work(meta, work, atomic).packed())});
    work = {};
    told_.push_back({call, access.pointer});
    if (access.reads && !access.memory) dependence_.know(access.at, call);
  }

  void set_dependence(const std::vector<CallInst*>& calls) {
    for (const Told& told : told_)
      told.call->setArgOperand(1, dependence_.number_for(told.pointer, told.call));
    for (std::size_t i = 0; i < calls.size(); ++i) {
      CallInst* call = calls[i];
      call->setArgOperand(call->arg_size() - 2,
                          dependence_.number_of(ranges_.ranges()[i].start, call));
    }
  }

  Function& function_;
  Module& module_;
  LoopInfo& loops_;
  DominatorTree& tree_;
  ScalarEvolution& evolution_;
  AssumptionCache& assumptions_;
  Ranges ranges_;
  Ranges::Loops mixed_;    // loops that contain accesses outside ranges
  Ranges::Loops stepped_;  // loops of mixed_ whose ranges are recorded step by step
  std::vector<InstructionAccess> accesses_;
  std::size_t next_ = 0;  // index of the next one in accesses_
  std::optional<WorkOf> work_;
  DenseMap<const Loop*, SmallVector<const BasicBlock*, 4>> blocks_of_;
  Value* state_ = nullptr;
  std::vector<Told> told_;
  Dependence dependence_;
};

}  // namespace

void emit_timed(Function& function, FunctionAnalysisManager& analyses) {
  TimedVersion(function, analyses).emit();
}

}  // namespace Atoll::record::compiled
