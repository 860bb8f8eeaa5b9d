// Turns the syntax tree into the intermediate representation: names are resolved, types checked and
// made explicit, calls replaced by what they do, and reductions and group assignments become loops.
#pragma once

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct LowerOptions {
  bool foreign = true;  ///< foreign text is allowed
};

/// Reports every mistake that does not depend on the order of statements; what is returned after
/// one is not to be used. The source of `diagnostics` must outlive the result.
[[nodiscard]] ir::Procedure lower(const ast::Module& module, const ast::Procedure& procedure,
                                  Diagnostics& diagnostics, const LowerOptions& options = {});

}  // namespace Atoll::greenmarl
