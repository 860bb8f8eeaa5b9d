// Makes the plain versions of recorded functions.
#include "trace/compiler/versions.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "trace/compiler/abi.hpp"

namespace Atoll::trace::compiled {

using namespace llvm;

Function* make_plain_version(Function& function) {
  if (function.isVarArg()) return nullptr;  // its arguments can't be passed on
  for (const BasicBlock& block : function)
    if (block.hasAddressTaken()) return nullptr;
  ValueToValueMapTy values;
  Function* plain = CloneFunction(&function, values);
  plain->setVisibility(GlobalValue::DefaultVisibility);
  plain->setLinkage(GlobalValue::InternalLinkage);
  plain->setComdat(function.getComdat());
  plain->setName(function.getName() + ".plain");
  return plain;
}

void choose_version(Function& function, Function& plain) {
  Module& module = *function.getParent();
  LLVMContext& context = function.getContext();
  BasicBlock* recorded = &function.getEntryBlock();
  BasicBlock* entry = BasicBlock::Create(context, "", &function, recorded);
  BasicBlock* unrecorded = BasicBlock::Create(context, "", &function);
  IRBuilder<> builder(entry);
  if (DISubprogram* where = function.getSubprogram())
    builder.SetCurrentDebugLocation(DILocation::get(context, where->getLine(), 0, where));
  Value* active = builder.CreateLoad(builder.getInt8Ty(),
                                     module.getOrInsertGlobal(kActive, builder.getInt8Ty()));
  Instruction* branch = builder.CreateCondBr(builder.CreateIsNotNull(active), recorded, unrecorded);
  // A variable has to be declared in the first block to be on the stack only once.
  for (auto next = recorded->begin(); next != recorded->end();) {
    auto* variable = dyn_cast<AllocaInst>(&*next++);
    if (variable != nullptr && isa<ConstantInt>(variable->getArraySize()))
      variable->moveBefore(branch);
  }
  builder.SetInsertPoint(unrecorded);
  SmallVector<Value*, 8> arguments;
  SmallVector<AttributeSet, 8> attributes;
  for (Argument& argument : function.args()) {
    arguments.push_back(&argument);
    attributes.push_back(function.getAttributes().getParamAttrs(argument.getArgNo()));
  }
  CallInst* call = builder.CreateCall(&plain, arguments);
  call->setCallingConv(function.getCallingConv());
  call->setAttributes(AttributeList::get(context, AttributeSet(),
                                         function.getAttributes().getRetAttrs(), attributes));
  call->setTailCall();
  if (function.getReturnType()->isVoidTy())
    builder.CreateRetVoid();
  else
    builder.CreateRet(call);
}

}  // namespace Atoll::trace::compiled
