// Which types go with which: conversions, and the type that two operands meet at.
#pragma once

#include <string>
#include <string_view>

#include "greenmarl/ir.hpp"

namespace Atoll::greenmarl {

[[nodiscard]] bool is_integer(Type type);  ///< Int or Long
[[nodiscard]] bool is_real(Type type);     ///< Float or Double
[[nodiscard]] bool is_numeric(Type type);
/// "an Int"
[[nodiscard]] std::string with_article(Type type);

/// As an assignment converts: between numbers, except from a real one to an integer, which needs a
/// cast; from Long to Int with a check when the program runs. Literals convert here and now. `what`
/// names the target in the error: "'x'", "a condition".
[[nodiscard]] ir::Expr converted(const Source& source, ir::Expr expr, Type to,
                                 std::string_view what);
/// As a cast converts: the nearest value; Bool from and to numbers.
[[nodiscard]] ir::Expr cast(const Source& source, ir::Expr expr, Type to, Position at);
/// Brings two numbers to the type that arithmetic on them has.
void unify(const Source& source, ir::Expr& left, ir::Expr& right);

}  // namespace Atoll::greenmarl
