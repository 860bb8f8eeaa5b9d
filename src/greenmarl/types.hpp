// Rules of types: conversions, and the common type of two operands.
#pragma once

#include <string>
#include <string_view>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

[[nodiscard]] bool is_integer(Type type);  ///< true for Int or Long
[[nodiscard]] bool is_real(Type type);     ///< true for Float or Double
[[nodiscard]] bool is_numeric(Type type);
/// "an Int"
[[nodiscard]] std::string with_article(Type type);

/// Converts as an assignment does: between numbers, except from a real one to an integer, which
/// needs a cast; from Long to Int with a check when the program runs. Literals are converted now.
/// `what` names the target in the error: "'x'", "a condition".
[[nodiscard]] ir::Expr converted(const Source& source, ir::Expr expr, Type to,
                                 std::string_view what);
/// Converts as a cast does: to the nearest value; Bool from and to numbers.
[[nodiscard]] ir::Expr cast(const Source& source, ir::Expr expr, Type to, Position at);
/// Converts two numbers to the type that arithmetic on them has.
void unify(const Source& source, ir::Expr& left, ir::Expr& right);

}  // namespace Atoll::greenmarl
