// Turns the syntax tree into the intermediate representation: names are resolved, types checked and
// made explicit, and reductions and group assignments become loops.
#pragma once

#include "greenmarl/ast.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Throws SourceError for every mistake that does not depend on the order of statements. `source`
/// must outlive the result.
[[nodiscard]] ir::Procedure lower(const ast::Procedure& procedure, const Source& source);

}  // namespace Atoll::greenmarl
