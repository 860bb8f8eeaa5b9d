// Finds which instructions access memory, and how much of it.
#include "record/compiler/accesses.hpp"

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace Atoll::record::compiled {
namespace {

using namespace llvm;

bool begins(StringRef name, StringRef with) {
  return name.take_front(with.size()) == with;
}

class Collector {
 public:
  explicit Collector(Function& function) : layout_(function.getParent()->getDataLayout()) {
    for (Instruction& instruction : instructions(function)) visit(instruction);
  }
  std::vector<InstructionAccess> take() { return std::move(accesses_); }

 private:
  void visit(Instruction& at) {
    if (at.getMetadata("nosanitize") != nullptr) return;
    if (auto* load = dyn_cast<LoadInst>(&at)) {
      add(at, load->getPointerOperand(), load->getType(), load->getAlign().value(), true, false);
    } else if (auto* store = dyn_cast<StoreInst>(&at)) {
      add(at, store->getPointerOperand(), store->getValueOperand()->getType(),
          store->getAlign().value(), false, true);
    } else if (auto* update = dyn_cast<AtomicRMWInst>(&at)) {
      add(at, update->getPointerOperand(), update->getType(), update->getAlign().value(), true,
          true);
    } else if (auto* exchange = dyn_cast<AtomicCmpXchgInst>(&at)) {
      add(at, exchange->getPointerOperand(), exchange->getNewValOperand()->getType(),
          exchange->getAlign().value(), true, true);
    } else if (auto* memory = dyn_cast<AnyMemIntrinsic>(&at)) {
      add_bytes(at, memory->getRawDest(), memory->getLength(),
                memory->getDestAlign().valueOrOne().value(), false);
      if (auto* copy = dyn_cast<AnyMemTransferInst>(&at))
        add_bytes(at, copy->getRawSource(), copy->getLength(),
                  copy->getSourceAlign().valueOrOne().value(), true);
    } else if (auto* call = dyn_cast<CallBase>(&at)) {
      if (auto* intrinsic = dyn_cast<IntrinsicInst>(call)) add_lanes(*intrinsic);
      for (unsigned i = 0; i < call->arg_size(); ++i)
        if (call->isByValArgument(i))  // the caller copies it onto the stack
          add_bytes(at, call->getArgOperand(i),
                    ConstantInt::get(Type::getInt64Ty(at.getContext()),
                                     layout_.getTypeAllocSize(call->getParamByValType(i))),
                    1, true);
    }
  }

  void add(Instruction& at, Value* pointer, Type* type, std::uint64_t align, bool reads,
           bool writes) {
    if (!is_seen(pointer)) return;
    const TypeSize size = layout_.getTypeStoreSize(type);
    if (size.isScalable()) return;
    const std::uint64_t bytes = size.getFixedValue();
    if (bytes == 0) return;
    if (bytes <= 64)
      accesses_.push_back({.at = &at,
                           .pointer = pointer,
                           .bytes = bytes,
                           .align = align,
                           .reads = reads,
                           .writes = writes,
                           .atomic = isa<AtomicRMWInst>(at) || isa<AtomicCmpXchgInst>(at)});
    else
      add_bytes(at, pointer, ConstantInt::get(Type::getInt64Ty(at.getContext()), bytes), align,
                reads);
  }

  void add_bytes(Instruction& at, Value* pointer, Value* length, std::uint64_t align, bool reads) {
    if (!is_seen(pointer)) return;
    InstructionAccess access{&at, pointer, 0, std::max<std::uint64_t>(align, 1), reads, !reads};
    access.memory = true;
    const auto* constant = dyn_cast<ConstantInt>(length);
    if (constant != nullptr && constant->isZero()) return;
    if (constant != nullptr && constant->getZExtValue() <= 64) {
      access.bytes = constant->getZExtValue();
    } else {
      access.shape = Shape::variable;
      access.length = length;
    }
    accesses_.push_back(access);
  }

  void add_lanes(IntrinsicInst& call) {
    switch (call.getIntrinsicID()) {
      case Intrinsic::masked_load:
        return add_lanes(call, call.getType(), call.getArgOperand(0), call.getArgOperand(2), true);
      case Intrinsic::masked_expandload:
        return add_lanes(call, call.getType(), call.getArgOperand(0), call.getArgOperand(1), true,
                         Shape::masked, true);
      case Intrinsic::masked_gather:
        return add_lanes(call, call.getType(), call.getArgOperand(0), call.getArgOperand(2), true,
                         Shape::gather);
      case Intrinsic::masked_store:
        return add_lanes(call, call.getArgOperand(0)->getType(), call.getArgOperand(1),
                         call.getArgOperand(3), false);
      case Intrinsic::masked_compressstore:
        return add_lanes(call, call.getArgOperand(0)->getType(), call.getArgOperand(1),
                         call.getArgOperand(2), false, Shape::masked, true);
      case Intrinsic::masked_scatter:
        return add_lanes(call, call.getArgOperand(0)->getType(), call.getArgOperand(1),
                         call.getArgOperand(3), false, Shape::gather);
      default:
        add_x86_lanes(call);
    }
  }

  /// Adds accesses of x86's own masked, gather and scatter intrinsics.
  void add_x86_lanes(IntrinsicInst& call) {
    const StringRef name = call.getCalledFunction()->getName();
    if (begins(name, "llvm.x86.avx.maskload") || begins(name, "llvm.x86.avx2.maskload"))
      return add_lanes(call, call.getType(), call.getArgOperand(0), call.getArgOperand(1), true);
    if (begins(name, "llvm.x86.avx.maskstore") || begins(name, "llvm.x86.avx2.maskstore"))
      return add_lanes(call, call.getArgOperand(2)->getType(), call.getArgOperand(0),
                       call.getArgOperand(1), false);
    const bool gather =
        begins(name, "llvm.x86.avx2.gather") || begins(name, "llvm.x86.avx512.mask.gather");
    const bool scatter = begins(name, "llvm.x86.avx512.mask.scatter");
    if (!gather && !scatter) return;
    // gather(otherwise, base, index, mask, scale), scatter(base, mask, index, value, scale)
    Value* base = call.getArgOperand(gather ? 1 : 0);
    if (!is_seen(base)) return;
    Type* type = gather ? call.getType() : call.getArgOperand(3)->getType();
    InstructionAccess access{
        &call, base,   layout_.getTypeStoreSize(type->getScalarType()).getFixedValue(),
        1,     gather, scatter};
    access.shape = Shape::gather;
    access.mask = call.getArgOperand(gather ? 3 : 1);
    access.index = call.getArgOperand(2);
    access.scale = cast<ConstantInt>(call.getArgOperand(4))->getZExtValue();
    accesses_.push_back(access);
  }

  void add_lanes(IntrinsicInst& at, Type* type, Value* pointer, Value* mask, bool reads,
                 Shape shape = Shape::masked, bool packed = false) {
    if (isa<ScalableVectorType>(type)) return;
    if (shape != Shape::gather && !is_seen(pointer)) return;
    InstructionAccess access{
        &at, pointer, layout_.getTypeStoreSize(type->getScalarType()).getFixedValue(),
        1,   reads,   !reads};
    access.shape = shape;
    access.mask = mask;
    access.packed = packed;
    accesses_.push_back(access);
  }

  bool is_seen(Value* pointer) {
    if (pointer->getType()->getPointerAddressSpace() != 0 || pointer->isSwiftError()) return false;
    Value* object = getUnderlyingObject(pointer, 0);
    const auto* argument = dyn_cast<Argument>(object);
    if (!isa<AllocaInst>(object) && (argument == nullptr || !argument->hasByValAttr())) {
      const auto* variable = dyn_cast<GlobalVariable>(object);
      return variable == nullptr ||
             !(begins(variable->getName(), "llvm.") || begins(variable->getSection(), "__llvm"));
    }
    const auto [found, is_new] = escapes_.try_emplace(object, false);
    if (is_new) found->second = PointerMayBeCaptured(object, true, true, 1000);
    return found->second;
  }

  const DataLayout& layout_;
  DenseMap<Value*, bool> escapes_;
  std::vector<InstructionAccess> accesses_;
};

/// True for functions of libc that only compute and may set errno.
bool is_mathematics(StringRef name) {
  static const StringSet<> names = {
      "acos",  "acosh",  "asin", "asinh", "atan",  "atan2",     "atanh", "cbrt",      "ceil",
      "cos",   "cosh",   "erf",  "erfc",  "exp",   "exp10",     "exp2",  "expm1",     "fabs",
      "fdim",  "floor",  "fma",  "fmax",  "fmin",  "fmod",      "hypot", "ldexp",     "log",
      "log10", "log1p",  "log2", "logb",  "lrint", "nearbyint", "pow",   "remainder", "rint",
      "round", "scalbn", "sin",  "sinh",  "sqrt",  "tan",       "tanh",  "tgamma",    "trunc"};
  if (names.contains(name)) return true;
  return !name.empty() && (name.back() == 'f' || name.back() == 'l') &&
         names.contains(name.drop_back());
}

}  // namespace

std::vector<InstructionAccess> accesses_of(Function& function) {
  return Collector(function).take();
}

bool is_harmless_call(const CallBase& call) {
  if (call.isInlineAsm()) return false;
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call))
    if (intrinsic->isAssumeLikeIntrinsic() || isa<AnyMemIntrinsic>(intrinsic) ||
        begins(intrinsic->getCalledFunction()->getName(), "llvm.masked."))
      return true;
  if (const Function* callee = call.getCalledFunction())
    if (callee->isDeclaration() && is_mathematics(callee->getName())) return true;
  return call.onlyReadsMemory() && call.doesNotThrow() && call.hasFnAttr(Attribute::WillReturn);
}

}  // namespace Atoll::record::compiled
