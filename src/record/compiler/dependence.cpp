#include "record/compiler/dependence.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>

namespace Atoll::record::compiled {

using namespace llvm;

namespace {

constexpr unsigned kDeepest = 64;

ConstantInt* none_in(LLVMContext& context) {
  return ConstantInt::get(Type::getInt64Ty(context), 0);
}
bool is_none(const Value* number) {
  const auto* constant = dyn_cast<ConstantInt>(number);
  return constant != nullptr && constant->isZero();
}

/// True if the result is computed directly from the operands: a move, cast, arithmetic or
/// selection.
bool passes_on(const Instruction& at) {
  if (isa<GetElementPtrInst>(at) || isa<CastInst>(at) || isa<BinaryOperator>(at) ||
      isa<SelectInst>(at) || isa<FreezeInst>(at) || isa<ExtractValueInst>(at))
    return true;
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&at);
  if (intrinsic == nullptr) return false;
  switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::smax:
    case Intrinsic::smin:
    case Intrinsic::umax:
    case Intrinsic::umin:
    case Intrinsic::abs:
    case Intrinsic::bswap:
    case Intrinsic::fshl:
    case Intrinsic::fshr:
      return true;
    default:
      return false;
  }
}

}  // namespace

Value* Dependence::last_of(Value* a, Value* b, Instruction* at) {
  if (a == b || is_none(b)) return a;
  if (is_none(a)) return b;
  IRBuilder<> builder(at);
  return builder.CreateSelect(builder.CreateICmpUGT(a, b), a, b);
}

Value* Dependence::through(PHINode& phi, unsigned depth) {
  IRBuilder<> builder(&phi);
  PHINode* number = builder.CreatePHI(builder.getInt64Ty(), phi.getNumIncomingValues());
  numbers_[&phi] = number;
  const Loop* loop =
      loops_.isLoopHeader(phi.getParent()) ? loops_.getLoopFor(phi.getParent()) : nullptr;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    Value* incoming = find(phi.getIncomingValue(i), depth + 1);
    // If a loop only increments the value, a later iteration doesn't wait for the load again.
    if (incoming == number && loop != nullptr && loop->contains(phi.getIncomingBlock(i)))
      incoming = none_in(phi.getContext());
    number->addIncoming(incoming, phi.getIncomingBlock(i));
  }
  return number;
}

Value* Dependence::find(Value* value, unsigned depth) {
  if (const auto found = numbers_.find(value); found != numbers_.end()) return found->second;
  auto* at = dyn_cast<Instruction>(value);
  if (at == nullptr || depth > kDeepest) return none_in(value->getContext());
  if (auto* phi = dyn_cast<PHINode>(at)) return through(*phi, depth);
  Value* number = none_in(value->getContext());
  if (passes_on(*at))
    for (Value* operand : at->operands()) {
      if (isa<SelectInst>(at) && operand == at->getOperand(0)) continue;  // condition is predicted
      number = last_of(number, find(operand, depth + 1), at);
    }
  return numbers_[value] = number;
}

Value* Dependence::number_of(Value* value) {
  return find(value, 0);
}

Value* Dependence::number_of(const SCEV* expression, Instruction* at) {
  struct Unknowns {
    SmallVector<Value*, 4> values;
    bool follow(const SCEV* part) {
      if (const auto* unknown = dyn_cast<SCEVUnknown>(part)) values.push_back(unknown->getValue());
      return true;
    }
    static bool isDone() { return false; }
  } unknowns;
  visitAll(expression, unknowns);
  Value* number = none_in(at->getContext());
  for (Value* value : unknowns.values) number = last_of(number, find(value, 0), at);
  return number;
}

Value* Dependence::number_for(Value* address, const Instruction* at) {
  Value* number = find(address, 0);
  const Loop* loop = loops_.getLoopFor(at->getParent());
  return loop != nullptr && loop->isLoopInvariant(number) ? none_in(at->getContext()) : number;
}

}  // namespace Atoll::record::compiled
