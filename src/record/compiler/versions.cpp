// Clones recorded functions and selects a version at run time.
#include "record/compiler/versions.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "record/compiler/abi.hpp"

namespace Atoll::record::compiled {

using namespace llvm;

namespace {

Function* copy_of(Function& function, const char* suffix) {
  ValueToValueMapTy values;
  Function* copy = CloneFunction(&function, values);
  copy->setVisibility(GlobalValue::DefaultVisibility);
  copy->setLinkage(GlobalValue::InternalLinkage);
  copy->setComdat(function.getComdat());
  copy->setName(function.getName() + suffix);
  return copy;
}

/// Makes the block call `version` and return its result.
void continue_in(Function& version, Function& function, IRBuilder<>& builder) {
  SmallVector<Value*, 8> arguments;
  SmallVector<AttributeSet, 8> attributes;
  for (Argument& argument : function.args()) {
    arguments.push_back(&argument);
    attributes.push_back(function.getAttributes().getParamAttrs(argument.getArgNo()));
  }
  CallInst* call = builder.CreateCall(&version, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(AttributeList::get(function.getContext(), AttributeSet(),
                                         function.getAttributes().getRetAttrs(), attributes));
  call->setTailCall();
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

}  // namespace

Function* make_plain_version(Function& function) {
  if (function.isVarArg()) return nullptr;  // its arguments can't be passed on
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return nullptr;
  return copy_of(function, ".plain");
}

Function* make_timed_version(Function& function) {
  return copy_of(function, ".timed");
}

void choose_version(Function& function, Function& plain, Function& timed) {
  Module& module = *function.getParent();
  LLVMContext& context = function.getContext();
  BasicBlock* recorded = &function.getEntryBlock();
  BasicBlock* entry = BasicBlock::Create(context, "", &function, recorded);
  BasicBlock* watched = BasicBlock::Create(context, "", &function, recorded);
  BasicBlock* unrecorded = BasicBlock::Create(context, "", &function);
  BasicBlock* with_time = BasicBlock::Create(context, "", &function);
  IRBuilder<> builder(entry);
  if (DISubprogram* where = function.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(context, where->getLine(), 0, where));
  Value* active = builder.CreateLoad(builder.getInt8Ty(),
                                     module.getOrInsertGlobal(kActive, builder.getInt8Ty()));
  Instruction* branch = builder.CreateCondBr(builder.CreateIsNotNull(active), watched, unrecorded);
  // An alloca must be in the entry block; otherwise it is dynamic and grows the stack each time.
  for (auto next = recorded->begin(); next != recorded->end();) {
    auto* variable = dyn_cast<AllocaInst>(&*next++);
    if (variable != nullptr && isa<ConstantInt>(variable->getArraySize()))
      variable->moveBefore(branch);
  }
  builder.SetInsertPoint(watched);
  Value* timed_now = builder.CreateLoad(builder.getInt8Ty(),
                                        module.getOrInsertGlobal(kIsTimed, builder.getInt8Ty()));
  builder.CreateCondBr(builder.CreateIsNotNull(timed_now), with_time, recorded);
  builder.SetInsertPoint(unrecorded);
  continue_in(plain, function, builder);
  builder.SetInsertPoint(with_time);
  continue_in(timed, function, builder);
}

}  // namespace Atoll::record::compiled
