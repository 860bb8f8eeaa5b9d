// A recorded function keeps a plain version of itself, which runs while nothing is recorded.
#pragma once

#include <llvm/IR/Function.h>

namespace Atoll::trace::compiled {

/// Returns a copy of `function` as it is now; null if it can't have one.
[[nodiscard]] llvm::Function* make_plain_version(llvm::Function& function);
/// Returns a copy of `function` that has a plain version, to record timed streams.
[[nodiscard]] llvm::Function* make_timed_version(llvm::Function& function);
/// Makes `function` continue in `plain` while nothing is recorded, and in `timed` while a timed
/// stream is.
void choose_version(llvm::Function& function, llvm::Function& plain, llvm::Function& timed);

}  // namespace Atoll::trace::compiled
