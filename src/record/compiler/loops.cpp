// Decides which accesses are hoisted out of loops, and emits the calls that record them.
#include "record/compiler/loops.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "record/compiler/abi.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;

/// Hoisting out of more loops would record all accesses at the start of the outermost loop. With
/// two dimensions, rows of a matrix and sweeps of a mesh keep their time.
constexpr std::size_t kMaxDimensions = 2;

bool is_expandable_at(const SCEV* value, Instruction* at, ScalarEvolution& evolution,
                      const DataLayout& layout) {
#if LLVM_VERSION_MAJOR >= 15
  return SCEVExpander(evolution, layout, "atoll").isSafeToExpandAt(value, at);
#else
  static_cast<void>(layout);
  return isSafeToExpandAt(value, at, evolution);
#endif
}

/// True if an access that follows `at` may be recorded before `at`.
bool may_be_reordered(const Instruction& at) {
  if (const auto* call = dyn_cast<CallBase>(&at)) return is_harmless_call(*call);
  if (at.isVolatile()) return false;
  if (at.isAtomic()) {
    if (isa<FenceInst>(at)) return false;
    if (const auto* load = dyn_cast<LoadInst>(&at))
      return !isStrongerThanMonotonic(load->getOrdering());
    if (const auto* store = dyn_cast<StoreInst>(&at))
      return !isStrongerThanMonotonic(store->getOrdering());
    if (const auto* update = dyn_cast<AtomicRMWInst>(&at))
      return !isStrongerThanMonotonic(update->getOrdering());
    return false;
  }
  return true;
}

/// True if atomic operations make all writes of the range.
bool updates_atomically(const Ranges::Range& range) {
  return range.writes != 0 && llvm::all_of(range.accesses, [](const Instruction* at) {
           return isa<LoadInst>(at) || isa<AtomicRMWInst>(at);
         });
}

}  // namespace

Ranges::LoopFacts Ranges::examine(Loop* loop) {
  const BasicBlock* latch = loop->getLoopLatch();
  if (latch == nullptr || loop->getExitingBlock() != latch || loop->getLoopPreheader() == nullptr)
    return {};
  for (const BasicBlock* block : loop->blocks())
    for (const Instruction& at : *block)
      if (!may_be_reordered(at)) return {};
  const SCEV* back = evolution_.getBackedgeTakenCount(loop);
  if (isa<SCEVCouldNotCompute>(back)) return {};
  Type* wide = Type::getInt64Ty(latch->getContext());
  if (evolution_.getTypeSizeInBits(back->getType()) > 64) return {};
  return {
      evolution_.getAddExpr(evolution_.getNoopOrZeroExtend(back, wide), evolution_.getOne(wide))};
}

const Ranges::LoopFacts& Ranges::facts_of(Loop* loop) {
  const auto found = facts_.find(loop);
  if (found != facts_.end()) return found->second;
  return facts_[loop] = examine(loop);
}

bool Ranges::add_outer_dimension(Loop* loop, const BasicBlock* block, Range& range) {
  const SCEV* trips = facts_of(loop).trips;
  if (trips == nullptr || !tree_.dominates(block, loop->getLoopLatch())) return false;
  for (const Dimension& inner : range.dimensions)
    if (!evolution_.isLoopInvariant(inner.step, loop) ||
        !evolution_.isLoopInvariant(inner.trips, loop))
      return false;
  if (evolution_.isLoopInvariant(range.start, loop)) {
    range.dimensions.push_back({evolution_.getZero(Type::getInt64Ty(block->getContext())), trips});
  } else {
    const auto* walk = dyn_cast<SCEVAddRecExpr>(range.start);
    if (walk == nullptr || walk->getLoop() != loop || !walk->isAffine()) return false;
    const SCEV* step = walk->getStepRecurrence(evolution_);
    if (evolution_.getTypeSizeInBits(step->getType()) != 64) return false;
    range.dimensions.push_back({step, trips});
    range.start = walk->getStart();
  }
  range.loop = loop;
  return true;
}

bool Ranges::is_expandable(const Range& range) {
  Instruction* at = range.loop->getLoopPreheader()->getTerminator();
  const DataLayout& layout = at->getModule()->getDataLayout();
  const auto can = [&](const SCEV* value) {
    return is_expandable_at(value, at, evolution_, layout);
  };
  return can(range.start) && llvm::all_of(range.dimensions, [&](const Dimension& dimension) {
           return can(dimension.step) && can(dimension.trips);
         });
}

bool Ranges::try_hoist(const InstructionAccess& access) {
  const BasicBlock* block = access.at->getParent();
  Loop* loop = loops_.getLoopFor(block);
  if (loop == nullptr || access.shape != Shape::plain || access.memory ||
      facts_of(loop).trips == nullptr)
    return false;
  Range best{nullptr,      evolution_.getSCEV(access.pointer),
             {},           access.bytes,
             access.reads, access.writes,
             loop,         {access.at}};
  for (Range next = best; loop != nullptr && next.dimensions.size() < kMaxDimensions;
       loop = loop->getParentLoop()) {
    if (!next.dimensions.empty() && ordered_.contains(loop)) break;
    if (!add_outer_dimension(loop, block, next)) break;
    if (!is_expandable(next)) break;
    best = next;
    block = loop->getLoopPreheader();
  }
  if (best.loop == nullptr) return false;
  if (ordered_.contains(best.loop) && parts_of(best.loop) + best.reads + best.writes > kMaxParts)
    return false;
  for (Range& other : ranges_)
    if (other.loop == best.loop && other.start == best.start && other.bytes == best.bytes &&
        other.reads + best.reads <= kMaxAccesses && other.writes + best.writes <= kMaxAccesses &&
        other.dimensions == best.dimensions) {
      other.reads += best.reads;
      other.writes += best.writes;
      other.accesses.push_back(access.at);
      return true;
    }
  // Ranges of one loop are adjacent in ranges_.
  const auto last = llvm::find_if(llvm::reverse(ranges_),
                                  [&](const Range& other) { return other.loop == best.loop; });
  ranges_.insert(last == ranges_.rend() ? ranges_.end() : last.base(), best);
  return true;
}

std::uint32_t Ranges::parts_of(const Loop* loop) const {
  std::uint32_t parts = 0;
  for (const Range& range : ranges_)
    if (range.loop == loop) parts += range.reads + range.writes;
  return parts;
}

void Ranges::emit() {
  const auto with_meta = [](const Range& range, bool more, IRBuilder<>& builder,
                            SmallVectorImpl<Value*>& arguments) {
    arguments.push_back(builder.getInt32(Meta{.bytes = static_cast<std::uint32_t>(range.bytes),
                                              .reads = range.reads,
                                              .writes = range.writes,
                                              .more = more,
                                              .atomic = updates_atomically(range)}
                                             .packed()));
  };
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    emit(ranges_[i], false, i + 1 < ranges_.size() && ranges_[i + 1].loop == ranges_[i].loop,
         with_meta);
}

std::vector<CallInst*> Ranges::emit_timed(AppendArguments append) {
  std::vector<CallInst*> calls;
  for (std::size_t i = 0; i < ranges_.size(); ++i)
    calls.push_back(emit(ranges_[i], true,
                         i + 1 < ranges_.size() && ranges_[i + 1].loop == ranges_[i].loop, append));
  return calls;
}

CallInst* Ranges::emit(const Range& range, bool timed, bool more, AppendArguments append) {
  Instruction* at = range.loop->getLoopPreheader()->getTerminator();
  Module& module = *at->getModule();
  SCEVExpander expander(evolution_, module.getDataLayout(), "atoll");
  IRBuilder<> builder(at);
  if (const DebugLoc& line = range.loop->getStartLoc()) builder.SetCurrentDebugLocation(line);
  Type* wide = builder.getInt64Ty();
  SmallVector<Value*, 6> arguments{builder.CreatePtrToInt(
      expander.expandCodeFor(range.start, range.start->getType(), at), wide)};
  for (const Dimension& dimension : range.dimensions) {
    arguments.push_back(expander.expandCodeFor(dimension.step, wide, at));
    arguments.push_back(expander.expandCodeFor(dimension.trips, wide, at));
  }
  append(range, more, builder, arguments);
  SmallVector<Type*, 6> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  const bool single = range.dimensions.size() == 1;
  const char* name = timed ? (single ? kTimedRange : kTimedNest) : (single ? kRange : kNest);
  FunctionCallee callee =
      module.getOrInsertFunction(name, FunctionType::get(builder.getVoidTy(), types, false));
  cast<Function>(callee.getCallee())->setDoesNotThrow();
  return builder.CreateCall(callee, arguments);
}

}  // namespace Atoll::record::compiled
