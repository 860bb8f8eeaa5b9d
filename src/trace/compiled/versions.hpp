// A recorded function keeps a plain version of itself, which runs where nothing is recorded.
#pragma once

#include <llvm/IR/Function.h>

namespace Atoll::trace::compiled {

/// A copy of `function` as it is now; null: it can't have one.
[[nodiscard]] llvm::Function* make_plain_version(llvm::Function& function);
/// Makes `function` go on in `plain` where nothing is recorded.
void choose_version(llvm::Function& function, llvm::Function& plain);

}  // namespace Atoll::trace::compiled
