// Lowers the syntax tree to the intermediate representation: resolves names, checks types and makes
// them explicit, inlines calls, and turns reductions and group assignments into loops.
#pragma once

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

struct LowerOptions {
  bool foreign = true;  ///< foreign text is allowed
};

/// Reports every mistake that doesn't depend on the order of statements. After a report, the result
/// must not be used. The source of `diagnostics` must outlive the result.
[[nodiscard]] ir::Procedure lower(const ast::Module& module, const ast::Procedure& procedure,
                                  Diagnostics& diagnostics, const LowerOptions& options = {});

}  // namespace Atoll::greenmarl
