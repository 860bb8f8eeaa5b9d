// Estimates the work of instructions. The estimate is made before vectorisation and instruction
// selection. Instructions that are usually folded into others count 0.
#include "record/compiler/work.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include "record/compiler/accesses.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;

constexpr std::uint32_t kMathematics = 40;  // instructions of a function such as exp()

bool is_division(const Instruction& at) {
  switch (at.getOpcode()) {
    case Instruction::FDiv:
    case Instruction::FRem:
      return true;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return !isa<Constant>(at.getOperand(1));  // a constant divisor becomes a multiplication
    default:
      break;
  }
  const auto* call = dyn_cast<IntrinsicInst>(&at);
  return call != nullptr && call->getIntrinsicID() == Intrinsic::sqrt;
}

/// True if all uses of the value are in addresses of loads and stores.
bool is_only_address(const Instruction& at) {
  return llvm::all_of(at.users(), [&](const User* user) {
    if (const auto* load = dyn_cast<LoadInst>(user)) return load->getPointerOperand() == &at;
    if (const auto* store = dyn_cast<StoreInst>(user)) return store->getPointerOperand() == &at;
    return isa<GetElementPtrInst>(user) || isa<BitCastInst>(user);
  });
}

/// True if the function's target has a fused multiply-add instruction.
bool has_fused_instruction(const Instruction& at) {
  const StringRef target = at.getModule()->getTargetTriple();
  if (target.find("86") == StringRef::npos) return true;  // all other targets have one
  SmallVector<StringRef, 32> features;
  at.getFunction()->getFnAttribute("target-features").getValueAsString().split(features, ',');
  return llvm::any_of(features, [](StringRef feature) {
    return feature == "+fma" || feature == "+fma4" || feature == "+avx512f";
  });
}

/// True if the code generator splits the instruction into a multiplication and an addition.
bool is_unfused(const Instruction& at) {
  const auto* call = dyn_cast<IntrinsicInst>(&at);
  return call != nullptr && call->getIntrinsicID() == Intrinsic::fmuladd &&
         !has_fused_instruction(at);
}

/// True if the code generator fuses the product with the addition that uses it.
bool is_fused_product(const Instruction& at) {
  if (at.getOpcode() != Instruction::FMul || !at.hasAllowContract() || !at.hasOneUse())
    return false;
  const auto* sum = cast<Instruction>(*at.user_begin());
  return (sum->getOpcode() == Instruction::FAdd || sum->getOpcode() == Instruction::FSub) &&
         sum->hasAllowContract() && has_fused_instruction(at);
}

bool only_branches(const Instruction& at) {
  return llvm::all_of(at.users(), [](const User* user) { return isa<BranchInst>(user); });
}

/// Returns the work of a function of this module that has no recorded accesses. Counts each of its
/// instructions once.
std::uint32_t instructions_of_body(const Function& function) {
  std::uint32_t count = 0;
  for (const Instruction& at : instructions(function))
    if (!isa<PHINode>(at) && !isa<DbgInfoIntrinsic>(at)) ++count;
  return count;
}

std::uint32_t instructions_of_call(const CallBase& call) {
  if (const auto* intrinsic = dyn_cast<IntrinsicInst>(&call)) {
    if (intrinsic->isAssumeLikeIntrinsic() || isa<DbgInfoIntrinsic>(intrinsic)) return 0;
    return is_unfused(call) ? 2 : 1;
  }
  Function* callee = call.getCalledFunction();
  const auto passing = static_cast<std::uint32_t>(2 + call.arg_size() / 2);
  if (callee == nullptr || call.isInlineAsm()) return passing;
  if (callee->isDeclaration()) return passing + (is_harmless_call(call) ? kMathematics : 0);
  return accesses_of(*callee).empty() ? passing + instructions_of_body(*callee) : passing;
}

std::uint32_t instructions_of(const Instruction& at) {
  if (isa<PHINode>(at) || isa<AllocaInst>(at) || isa<FreezeInst>(at) || isa<BitCastInst>(at) ||
      isa<PtrToIntInst>(at) || isa<IntToPtrInst>(at) || isa<TruncInst>(at) || isa<ZExtInst>(at) ||
      isa<UnreachableInst>(at) || isa<ExtractValueInst>(at))
    return 0;
  if (const auto* call = dyn_cast<CallBase>(&at)) return instructions_of_call(*call);
  if (const auto* branch = dyn_cast<BranchInst>(&at)) return branch->isConditional() ? 1 : 0;
  if (isa<SwitchInst>(at)) return 3;
  if (isa<GetElementPtrInst>(at)) return is_only_address(at) ? 0 : 1;
  if (isa<CmpInst>(at)) return only_branches(at) ? 0 : 1;  // fused with the branch
  return 1;
}

/// Finds the longest chain of floating-point operations that a loop carries from one iteration to
/// the next.
class Chains {
 public:
  explicit Chains(DenseMap<const Instruction*, Work>& works) : works_(works) {}

  void find(const Loop& loop) {
    for (const Loop* inner : loop) find(*inner);
    const BasicBlock* latch = loop.getLoopLatch();
    if (latch == nullptr) return;
    Path longest;
    for (const PHINode& phi : loop.getHeader()->phis()) {
      if (!phi.getType()->isFPOrFPVectorTy()) continue;
      Path path;
      if (reaches(phi.getIncomingValueForBlock(latch), phi, loop, path, 0) &&
          length(path) > length(longest))
        longest = path;
    }
    for (const auto& [at, steps] : longest) works_[at].chain = steps;
  }

 private:
  /// Operations, each with its number of steps.
  using Path = SmallVector<std::pair<const Instruction*, std::uint32_t>, 8>;
  static std::uint32_t length(const Path& path) {
    std::uint32_t steps = 0;
    for (const auto& one : path) steps += one.second;
    return steps;
  }
  /// Follows the value back to the loop's PHI. Appends the operations on the way to `path`.
  static bool reaches(const Value* value, const PHINode& phi, const Loop& loop, Path& path,
                      unsigned depth) {
    if (value == &phi) return true;
    const auto* at = dyn_cast<Instruction>(value);
    if (at == nullptr || depth > 16 || !loop.contains(at) || isa<LoadInst>(at)) return false;
    if (!at->getType()->isFPOrFPVectorTy()) return false;
    const bool operation = isa<BinaryOperator>(at) || isa<CallBase>(at);
    // The vectoriser splits reassociable sums into independent ones.
    if (operation && isa<FPMathOperator>(at) && at->hasAllowReassoc()) return false;
    const std::size_t before = path.size();
    for (const Use& operand : at->operands()) {
      // The factors go through both steps, the addend through the addition only.
      const bool both = is_unfused(*at) && operand.getOperandNo() < 2;
      if (operation && !is_fused_product(*at)) path.emplace_back(at, both ? 2U : 1U);
      if (reaches(operand, phi, loop, path, depth + 1)) return true;
      path.resize(before);
    }
    return false;
  }

  DenseMap<const Instruction*, Work>& works_;
};

}  // namespace

WorkOf::WorkOf(Function& function, LoopInfo& loops) {
  for (Instruction& at : instructions(function))
    works_[&at] = {.instructions = instructions_of(at), .divisions = is_division(at) ? 1U : 0U};
  Chains chains(works_);
  for (const Loop* loop : loops) chains.find(*loop);
}

}  // namespace Atoll::record::compiled
