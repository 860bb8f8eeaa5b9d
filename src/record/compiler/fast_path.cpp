// Emits the code that counts an access inline: it finds the page's slot, then the line's counter.
// The library counts the other cases: pages without a slot, accesses that cross lines, first uses
// of a word, and full lines. If tasks are recorded, the slots' addresses never match; the current
// task's use of the line is recorded inline instead (recorder/tasks.hpp).
#include "record/compiler/fast_path.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstddef>

#include "record/compiler/abi.hpp"
#include "record/compiler/groups.hpp"
#include "record/recorder.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;
using record::LineOfTask;
using record::PageCounters;
using record::Slot;
using record::TaskState;
using record::ThreadState;

static_assert(sizeof(Slot) == 16 && offsetof(PageCounters, lines) == 0 && sizeof(LineOfTask) == 16);

/// Selects accesses of a group.
enum class Kind { any, reads, writes };

class Emitter {
 public:
  explicit Emitter(Function& function)
      : function_(function),
        module_(*function.getParent()),
        builder_(function.getContext()),
        wide_(builder_.getInt64Ty()),
        byte_(builder_.getInt8Ty()),
        bytes_(PointerType::get(byte_, 0)),
        unlikely_(MDBuilder(function.getContext()).createBranchWeights(1, 100000)) {}

  void emit(const Group& group);
  void emit_call(const InstructionAccess& access);

 private:
  Value* state();
  Value* at(Value* base, Value* offset, Type* type) {
    return builder_.CreateBitCast(builder_.CreateGEP(byte_, base, offset),
                                  PointerType::get(type, 0));
  }
  Value* at(Value* base, std::uint64_t offset, Type* type) {
    return at(base, builder_.getInt64(offset), type);
  }
  Value* bits_of(Value* mask);
  Value* words_of(const Group& group, Value* address, Kind kind = Kind::any);
  void emit_use(const Group& group, Value* address, Value* slot);
  Value* of_task(std::size_t member, Type* type) {
    return at(state(), offsetof(ThreadState, task) + member, type);
  }
  void call(const char* name, ArrayRef<Value*> arguments, bool keeps_registers);
  Value* address_of(const Group& group, std::int64_t offset) {
    return builder_.CreateAdd(builder_.CreatePtrToInt(group.base, wide_),
                              builder_.getInt64(static_cast<std::uint64_t>(offset)));
  }
  void start_at(Instruction* instruction) { builder_.SetInsertPoint(instruction); }

  Function& function_;
  Module& module_;
  IRBuilder<> builder_;
  Type *wide_, *byte_;
  PointerType* bytes_;
  MDNode* unlikely_;
  Value* state_ = nullptr;
};

/// Returns the thread's state, which is loaded once per function. Its address is constant during
/// the thread's life, also in a forked child.
Value* Emitter::state() {
  if (state_ != nullptr) return state_;
  IRBuilder<>::InsertPointGuard guard(builder_);
  BasicBlock& entry = function_.getEntryBlock();
  BasicBlock::iterator begin = entry.begin();
  while (isa<AllocaInst>(*begin)) ++begin;
  // An alloca must be in the entry block; otherwise it is dynamic and grows the stack each time.
  for (auto next = begin; next != entry.end();) {
    auto* variable = dyn_cast<AllocaInst>(&*next++);
    if (variable != nullptr && variable->isStaticAlloca()) variable->moveBefore(&*begin);
  }
  auto* thread = module_.getOrInsertGlobal(kThread, bytes_, [&] {
    auto* made = new GlobalVariable(module_, bytes_, false, GlobalValue::ExternalLinkage, nullptr,
                                    kThread, nullptr, GlobalValue::InitialExecTLSModel);
    return made;
  });
  builder_.SetInsertPoint(&*begin);
  Value* known = builder_.CreateLoad(bytes_, thread);
  auto* none = cast<Instruction>(builder_.CreateIsNull(known));
  BasicBlock* before = none->getParent();
  Instruction* then = SplitBlockAndInsertIfThen(none, &*begin, false, unlikely_);
  builder_.SetInsertPoint(then);
  FunctionCallee start = module_.getOrInsertFunction(kStart, FunctionType::get(bytes_, false));
  cast<Function>(start.getCallee())->setDoesNotThrow();
  Value* made = builder_.CreateCall(start);
  builder_.SetInsertPoint(&*begin->getParent()->begin());
  PHINode* both = builder_.CreatePHI(bytes_, 2);
  both->addIncoming(known, before);
  both->addIncoming(made, then->getParent());
  return state_ = both;
}

void Emitter::call(const char* name, ArrayRef<Value*> arguments, bool keeps_registers) {
  SmallVector<Type*, 4> types;
  for (const Value* argument : arguments) types.push_back(argument->getType());
  FunctionCallee callee =
      module_.getOrInsertFunction(name, FunctionType::get(builder_.getVoidTy(), types, false));
  auto* declared = cast<Function>(callee.getCallee());
  declared->setDoesNotThrow();
  CallInst* made = builder_.CreateCall(callee, arguments);
  if (!keeps_registers) return;
  declared->setCallingConv(CallingConv::PreserveMost);
  declared->addFnAttr(Attribute::Cold);
  declared->addFnAttr(Attribute::NonLazyBind);  // the dynamic linker's lazy resolver preserves
                                                // fewer registers
  made->setCallingConv(CallingConv::PreserveMost);
}

/// Returns the bit mask, within a line, of the words that accesses of this kind use.
Value* Emitter::words_of(const Group& group, Value* address, Kind kind) {
  const auto is_one = [kind](const Part& part) {
    return kind == Kind::any || (kind == Kind::reads ? part.reads : part.writes) != 0;
  };
  std::int64_t begin = group.end, end = group.begin;
  for (const Part& part : group.parts)
    if (is_one(part)) {
      begin = std::min(begin, part.offset);
      end = std::max(end, part.offset + static_cast<std::int64_t>(part.bytes));
    }
  if (begin >= end) return builder_.getInt64(0);
  const auto [align, residue_of_group] = group.alignment();
  const auto before = static_cast<std::uint64_t>(begin - group.begin);
  const std::uint64_t residue = (residue_of_group + before) % align;
  const auto length = static_cast<std::uint64_t>(end - begin);
  if (before != 0) address = builder_.CreateAdd(address, builder_.getInt64(before));
  const auto word = [&](Value* byte) {
    return builder_.CreateAnd(builder_.CreateLShr(byte, 3), 7);
  };
  if (align >= 8) {
    const std::uint64_t skipped = residue % 8;
    std::uint64_t shape = 0;
    for (const Part& part : group.parts) {
      if (!is_one(part)) continue;
      const std::uint64_t first = skipped + static_cast<std::uint64_t>(part.offset - begin);
      shape |= (2U << ((first + part.bytes - 1) / 8)) - (1U << (first / 8));
    }
    return builder_.CreateShl(builder_.getInt64(shape), word(address));
  }
  Value* first = builder_.CreateShl(builder_.getInt64(1), word(address));
  if (residue + length <= align) return first;
  Value* last = builder_.CreateShl(
      builder_.getInt64(2), word(builder_.CreateAdd(address, builder_.getInt64(length - 1))));
  return builder_.CreateSub(last, first);
}

void Emitter::emit(const Group& group) {
  Value* state = this->state();
  start_at(group.at);
  Value* address = address_of(group, group.begin);
  Value* page = builder_.CreateAnd(address, ~std::uint64_t{4095});
  Value* slot = builder_.CreateGEP(
      byte_, state,
      builder_.CreateAnd(builder_.CreateLShr(address, 8), (record::kSlots - 1) * sizeof(Slot)));
  Value* begin = builder_.CreateLoad(wide_, at(slot, offsetof(Slot, begin), wide_));
  Value* missed = builder_.CreateICmpNE(begin, page);
  Value* crosses = builder_.getFalse();
  const auto [align, residue] = group.alignment();
  const auto length = static_cast<std::uint64_t>(group.end - group.begin);
  if (residue + length > align)
    crosses =
        builder_.CreateICmpUGT(builder_.CreateAnd(address, 63), builder_.getInt64(64 - length));
  Instruction *miss = nullptr, *hit = nullptr;
  SplitBlockAndInsertIfThenElse(builder_.CreateOr(missed, crosses), group.at, &miss, &hit,
                                unlikely_);

  BasicBlock* after = group.at->getParent();
  BasicBlock* elsewhere = miss->getParent();
  BasicBlock* use = BasicBlock::Create(function_.getContext(), "", &function_, after);
  SplitBlock(elsewhere, miss);
  Instruction* choice = elsewhere->getTerminator();
  builder_.SetInsertPoint(choice);
  Value* by_task = builder_.CreateICmpEQ(builder_.CreateXor(begin, Slot::kByTask), page);
  builder_.CreateCondBr(builder_.CreateAnd(by_task, builder_.CreateNot(crosses)), use,
                        miss->getParent());
  choice->eraseFromParent();
  builder_.SetInsertPoint(use);
  builder_.SetInsertPoint(builder_.CreateBr(after));
  emit_use(group, address, slot);

  builder_.SetInsertPoint(miss);
  for (const Part& part : group.parts) {
    const Meta meta{.bytes = static_cast<std::uint32_t>(part.bytes),
                    .reads = part.memory ? part.reads != 0 : part.reads,
                    .writes = part.memory ? part.writes != 0 : part.writes,
                    .memory = part.memory,
                    .atomic = group.atomic};
    call(kSlow, {address_of(group, part.offset), builder_.getInt32(meta.packed())}, true);
  }

  builder_.SetInsertPoint(hit);
  Value* block = builder_.CreateLoad(bytes_, at(slot, offsetof(Slot, block), bytes_));
  Value* line = at(block, builder_.CreateAnd(builder_.CreateLShr(address, 3), 0x1f8), wide_);
  // If a word's bit isn't set yet, the library counts the access. That is rare.
  Value* words = words_of(group, address);
  Value* wanted =
      builder_.CreateAnd(builder_.CreateLoad(wide_, line), builder_.CreateOr(words, record::kFull));
  BasicBlock* counted = BasicBlock::Create(function_.getContext(), "", &function_, after);
  builder_.CreateCondBr(builder_.CreateICmpNE(wanted, words), miss->getParent(), counted,
                        unlikely_);
  hit->eraseFromParent();
  builder_.SetInsertPoint(counted);
  // This usually compiles to one instruction, so counts of a signal handler in between aren't lost.
  builder_.CreateStore(builder_.CreateAdd(builder_.CreateLoad(wide_, line),
                                          builder_.getInt64(group.reads() * record::kOneRead +
                                                            group.writes() * record::kOneWrite)),
                       line);
  builder_.CreateBr(after);
}

/// Emits record::use_in_task inline.
void Emitter::emit_use(const Group& group, Value* address, Value* slot) {
  Value* line = at(builder_.CreateLoad(bytes_, at(slot, offsetof(Slot, block), bytes_)),
                   builder_.CreateAnd(builder_.CreateLShr(address, 3), 0x1f8), wide_);
  Value* before = builder_.CreateLoad(wide_, line);
  Value* stamp = builder_.CreateLoad(wide_, of_task(offsetof(TaskState, stamp), wide_));
  Value* is_new = builder_.CreateICmpUGE(builder_.CreateXor(before, stamp),
                                         builder_.getInt64(record::kOneStamp));
  Value* place = of_task(offsetof(TaskState, next), bytes_);
  Value* entry = builder_.CreateLoad(bytes_, place);
  builder_.CreateStore(builder_.CreatePtrToInt(line, wide_),
                       at(entry, offsetof(LineOfTask, line), wide_));
  builder_.CreateStore(builder_.CreateLShr(address, 6),
                       at(entry, offsetof(LineOfTask, number), wide_));
  Value* next = builder_.CreateGEP(
      byte_, entry, builder_.CreateShl(builder_.CreateZExt(is_new, wide_), builder_.getInt64(4)));
  builder_.CreateStore(next, place);
  Value* use = builder_.CreateOr(
      words_of(group, address, Kind::reads),
      builder_.CreateMul(
          words_of(group, address, Kind::writes),
          builder_.getInt64(group.atomic ? record::kOneAtomicWord : record::kOneWrittenWord)));
  builder_.CreateStore(builder_.CreateOr(builder_.CreateSelect(is_new, stamp, before), use), line);
  Value* end = builder_.CreateLoad(bytes_, of_task(offsetof(TaskState, end), bytes_));
  Instruction* full = SplitBlockAndInsertIfThen(builder_.CreateICmpUGE(next, end),
                                                &*builder_.GetInsertPoint(), false, unlikely_);
  builder_.SetInsertPoint(full);
  call(kLogFull, {state()}, true);
}

/// Returns a mask's lanes as bits of an integer.
Value* Emitter::bits_of(Value* mask) {
  if (const auto* type = dyn_cast<FixedVectorType>(mask->getType())) {
    const unsigned lanes = type->getNumElements();
    if (!type->getElementType()->isIntegerTy(1)) {  // the sign bit selects the lane
      auto* integers = FixedVectorType::get(builder_.getIntNTy(type->getScalarSizeInBits()), lanes);
      mask = builder_.CreateICmpSLT(builder_.CreateBitCast(mask, integers),
                                    Constant::getNullValue(integers));
    }
    mask = builder_.CreateBitCast(mask, builder_.getIntNTy(lanes));
  }
  return builder_.CreateZExtOrTrunc(mask, wide_);
}

/// Emits a call for an access that has no fast path.
void Emitter::emit_call(const InstructionAccess& access) {
  start_at(access.at);
  const auto meta = [&](std::uint64_t bytes) {
    return builder_.getInt32(Meta{.bytes = static_cast<std::uint32_t>(bytes),
                                  .reads = access.reads,
                                  .writes = access.writes,
                                  .memory = access.memory}
                                 .packed());
  };
  const auto address_of_pointer = [&](Value* pointer) {
    return builder_.CreatePtrToInt(pointer, wide_);
  };
  if (access.shape == Shape::variable) {
    call(kBytes,
         {address_of_pointer(access.pointer), builder_.CreateZExtOrTrunc(access.length, wide_),
          meta(0)},
         false);
    return;
  }
  Value* bits = bits_of(access.mask);
  if (access.shape == Shape::masked) {
    if (access.packed) {  // the number of set bits, as that many contiguous lanes
      Value* bits_set = builder_.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
      Value* from_top = builder_.CreateSub(builder_.getInt64(64), bits_set);
      bits = builder_.CreateSelect(builder_.CreateICmpEQ(bits_set, builder_.getInt64(0)),
                                   builder_.getInt64(0),
                                   builder_.CreateLShr(builder_.getInt64(~std::uint64_t{0}),
                                                       builder_.CreateAnd(from_top, 63)));
    }
    call(kMasked, {address_of_pointer(access.pointer), bits, meta(access.bytes)}, false);
    return;
  }
  const auto lanes_of = [](const Value* vector) {
    return cast<FixedVectorType>(vector->getType())->getNumElements();
  };
  unsigned lanes = lanes_of(access.index == nullptr ? access.pointer : access.index);
  if (access.mask->getType()->isVectorTy()) lanes = std::min(lanes, lanes_of(access.mask));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value* address =
        access.index == nullptr
            ? address_of_pointer(builder_.CreateExtractElement(access.pointer, lane))
            : builder_.CreateAdd(
                  address_of_pointer(access.pointer),
                  builder_.CreateMul(
                      builder_.CreateSExt(builder_.CreateExtractElement(access.index, lane), wide_),
                      builder_.getInt64(access.scale)));
    call(kMasked,
         {address, builder_.CreateAnd(builder_.CreateLShr(bits, lane), 1), meta(access.bytes)},
         false);
  }
}

}  // namespace

void emit_fast_paths(Function& function, const std::vector<InstructionAccess>& accesses) {
  Emitter emitter(function);
  // In reverse order: splitting a block moves the instructions that follow, which are fewest this
  // way.
  const std::vector<Group> groups = groups_of(accesses, function.getParent()->getDataLayout());
  for (const Group& group : llvm::reverse(groups)) emitter.emit(group);
  for (const InstructionAccess& access : accesses)
    if (access.shape != Shape::plain) emitter.emit_call(access);
}

void emit_calls(Function& function, const std::vector<InstructionAccess>& accesses) {
  Emitter emitter(function);
  for (const InstructionAccess& access : accesses) emitter.emit_call(access);
}

}  // namespace Atoll::record::compiled
