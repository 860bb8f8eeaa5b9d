// Type conversions, and the common type of two operands.
#pragma once

#include <string_view>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Converts as an assignment does: between numeric types, from Long to Int with a run-time check,
/// from real to integer towards zero with a warning. Literals are converted at compile time. `what`
/// names the target in messages: "'x'", "a condition".
[[nodiscard]] ir::Expr converted(Diagnostics& diagnostics, ir::Expr expr, const Type& to,
                                 std::string_view what);
/// Converts as a cast does: to the nearest value; also between Bool and numbers.
[[nodiscard]] ir::Expr cast(Diagnostics& diagnostics, ir::Expr expr, const Type& to, Position at);
/// Converts two numbers to their common arithmetic type, and NIL to the other operand's type.
void unify(Diagnostics& diagnostics, ir::Expr& left, ir::Expr& right);

}  // namespace Atoll::greenmarl
