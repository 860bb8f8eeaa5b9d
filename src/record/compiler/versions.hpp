// Keeps an uninstrumented copy of each recorded function, which runs while recording is off.
#pragma once

#include <llvm/IR/Function.h>

namespace Atoll::record::compiled {

/// Returns a copy of `function` in its present state, or null if it can't be copied.
[[nodiscard]] llvm::Function* make_plain_version(llvm::Function& function);
/// Returns a copy of `function` for timed streams. `function` must have a plain version.
[[nodiscard]] llvm::Function* make_timed_version(llvm::Function& function);
/// Makes `function` jump to `plain` while recording is off, and to `timed` while a timed stream is
/// recorded.
void choose_version(llvm::Function& function, llvm::Function& plain, llvm::Function& timed);

}  // namespace Atoll::record::compiled
