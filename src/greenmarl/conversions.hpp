// Rules of values: conversions, and the common type of two operands.
#pragma once

#include <string_view>

#include "greenmarl/diagnostics.hpp"
#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

/// Converts as an assignment does: between numbers, from Long to Int with a check when the program
/// runs, from a real number to an integer towards zero and with a warning. Literals are converted
/// now. `what` names the target in messages: "'x'", "a condition".
[[nodiscard]] ir::Expr converted(Diagnostics& diagnostics, ir::Expr expr, const Type& to,
                                 std::string_view what);
/// Converts as a cast does: to the nearest value; Bool from and to numbers.
[[nodiscard]] ir::Expr cast(Diagnostics& diagnostics, ir::Expr expr, const Type& to, Position at);
/// Converts two numbers to the type that arithmetic on them has, and NIL to its opposite's type.
void unify(Diagnostics& diagnostics, ir::Expr& left, ir::Expr& right);

}  // namespace Atoll::greenmarl
