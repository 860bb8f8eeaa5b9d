// Pass plugin of the front end `compiled`: instruments every function of a module. It runs after
// the inliner and the scalar optimisations and before the vectoriser. So it records the accesses of
// the optimised program, and loops with hoisted accesses still vectorise.
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/GlobalIFunc.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "record/compiler/accesses.hpp"
#include "record/compiler/fast_path.hpp"
#include "record/compiler/loops.hpp"
#include "record/compiler/timed_version.hpp"
#include "record/compiler/versions.hpp"

namespace Atoll::record::compiled {
namespace {

using namespace llvm;

/// Marks an instrumented module.
constexpr char kDone[] = "atoll.recorded";

/// Records ranges before loops. Returns the remaining accesses.
std::vector<InstructionAccess> without_ranges(Function& function,
                                              std::vector<InstructionAccess> accesses,
                                              FunctionAnalysisManager& analyses) {
  if (function.hasOptNone()) return accesses;
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  if (loops.empty()) return accesses;
  auto& tree = analyses.getResult<DominatorTreeAnalysis>(function);
  auto& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
  auto& assumptions = analyses.getResult<AssumptionAnalysis>(function);
  for (Loop* loop : loops)
    simplifyLoop(loop, &tree, &loops, &evolution, &assumptions, nullptr, false);
  Ranges ranges(loops, evolution, tree);
  llvm::erase_if(accesses,
                 [&](const InstructionAccess& access) { return ranges.try_hoist(access); });
  ranges.emit();
  return accesses;
}

/// Removes attributes that limit a function's memory effects: instrumented code writes counts.
template <typename Callable>
void remove_memory_attributes(Callable& callable) {
#if LLVM_VERSION_MAJOR >= 16
  callable.removeFnAttr(Attribute::Memory);
#else
  for (const auto kind :
       {Attribute::ReadNone, Attribute::ReadOnly, Attribute::WriteOnly, Attribute::ArgMemOnly,
        Attribute::InaccessibleMemOnly, Attribute::InaccessibleMemOrArgMemOnly})
    callable.removeFnAttr(kind);
#endif
}

void record(Function& function, FunctionAnalysisManager& analyses) {
  if (accesses_of(function).empty()) return;
  Function* plain = make_plain_version(function);
  Function* timed = plain == nullptr ? nullptr : make_timed_version(function);
  emit_fast_paths(function, without_ranges(function, accesses_of(function), analyses));
  if (plain == nullptr) return;
  emit_timed(*timed, analyses);
  choose_version(function, *plain, *timed);
}

/// Returns false if the module is already instrumented.
bool record(Module& module, FunctionAnalysisManager& analyses) {
  if (module.getNamedMetadata(kDone) != nullptr) return false;
  module.getOrInsertNamedMetadata(kDone);
  SmallPtrSet<const Value*, 4> early;  // ifunc resolvers run before the program is linked with the
                                       // library
  for (const GlobalIFunc& indirect : module.ifuncs())
    early.insert(indirect.getResolver()->stripPointerCasts());
  std::vector<Function*> functions;
  for (Function& function : module)
    if (!function.isDeclaration() && !function.hasAvailableExternallyLinkage() &&
        !function.hasFnAttribute(Attribute::Naked) &&
        !function.hasFnAttribute("disable_sanitizer_instrumentation") && !early.contains(&function))
      functions.push_back(&function);
  for (Function* function : functions) record(*function, analyses);
  for (Function& function : module) {
    if (function.isIntrinsic()) continue;
    remove_memory_attributes(function);
    for (Instruction& instruction : instructions(function))
      if (auto* call = dyn_cast<CallBase>(&instruction);
          call != nullptr && !isa<IntrinsicInst>(call))
        remove_memory_attributes(*call);
  }
  return true;
}

struct RecordAccesses : PassInfoMixin<RecordAccesses> {
  PreservedAnalyses run(Module& module, ModuleAnalysisManager& managers) {
    auto& analyses = managers.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
    return record(module, analyses) ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

#if LLVM_VERSION_MAJOR < 15
/// LLVM before version 15 has no extension point for module passes between the simplifications and
/// the vectoriser. The pass of the first function instruments the whole module.
struct RecordAccessesOfModule : PassInfoMixin<RecordAccessesOfModule> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    if (!record(*function.getParent(), analyses)) return PreservedAnalyses::all();
    analyses.clear();
    return PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};
#endif

void add_to(PassBuilder& builder) {
  const auto add = [](ModulePassManager& passes, auto...) { passes.addPass(RecordAccesses()); };
#if LLVM_VERSION_MAJOR < 15
  builder.registerVectorizerStartEPCallback(
      [](FunctionPassManager& passes, auto...) { passes.addPass(RecordAccessesOfModule()); });
#else
  builder.registerOptimizerEarlyEPCallback(add);
#endif
  builder.registerOptimizerLastEPCallback(add);  // the only extension point at -O0
}

}  // namespace
}  // namespace Atoll::record::compiled

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "atoll", LLVM_VERSION_STRING, Atoll::record::compiled::add_to};
}
