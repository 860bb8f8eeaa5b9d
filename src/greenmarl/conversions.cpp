// Makes conversions explicit in the intermediate representation.
#include "greenmarl/conversions.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace Atoll::greenmarl {
namespace {

ir::Expr conversion(ir::Expr expr, const Type& to, bool checked) {
  ir::Expr result;
  result.kind = ir::ExprKind::convert;
  result.type = to;
  result.at = expr.at;
  result.checked = checked;
  result.args.push_back(std::move(expr));
  return result;
}

bool fits_int(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}

ir::Expr number_literal(Diagnostics& diagnostics, const ir::Expr& expr, const Type& to) {
  if (is_integer(to)) return ir::literal(std::get<std::int64_t>(expr.literal), to, expr.at);
  const double value = std::holds_alternative<double>(expr.literal)
                           ? std::get<double>(expr.literal)
                           : static_cast<double>(std::get<std::int64_t>(expr.literal));
  if (to.is(ValueType::float32) && std::abs(value) > std::numeric_limits<float>::max())
    diagnostics.fail(expr.at, "this number is too large for a Float",
                     "declare the target as a Double");
  return ir::real_literal(value, to, expr.at);
}

// INF, NIL, foreign text, and conditional expressions of these take the type of their context.
ir::Expr with_type(Diagnostics& diagnostics, ir::Expr expr, const Type& to) {
  if (!expr.flexible) return converted(diagnostics, std::move(expr), to, "a value");
  expr.type = to;
  if (expr.kind == ir::ExprKind::conditional)
    for (std::size_t i = 1; i < 3; ++i)
      expr.args[i] = with_type(diagnostics, std::move(expr.args[i]), to);
  return expr;
}

Type meeting(const Type& left, const Type& right) {
  for (const ValueType type : {ValueType::float64, ValueType::float32, ValueType::int64})
    if (left.is(type) || right.is(type)) return type;
  return ValueType::int32;
}

/// True if an expression without a type of its own can take the type `to`.
bool can_become(const ir::Expr& expr, const Type& to) {
  if (!expr.flexible) return false;
  switch (expr.kind) {
    case ir::ExprKind::nil:
      return to.is_element();
    case ir::ExprKind::foreign:
      return to.shape == Shape::value;
    case ir::ExprKind::conditional:
      return expr.type.is_element() ? to.is_element() : is_numeric(to);
    default:
      return is_numeric(to);
  }
}

[[noreturn]] void refuse(Diagnostics& diagnostics, const ir::Expr& expr, const Type& to,
                         std::string_view what) {
  const Type& from = expr.type;
  if (from.is_element() && to.is_element() && from.value == to.value)
    diagnostics.fail(expr.at,
                     fmt::format("this {} is of another graph than {}", to_string(from), what),
                     "take one of the same graph");
  const bool condition = to.is(ValueType::boolean) && is_numeric(from);
  const bool infinite = expr.kind == ir::ExprKind::infinity;
  const std::string_view text = expr.kind == ir::ExprKind::nil ? "NIL"
                                : infinite                     ? expr.negative ? "-INF" : "INF"
                                                               : "";
  diagnostics.fail(
      expr.at,
      fmt::format("{} can't be {}, {}", text.empty() ? with_article(from) : std::string(text), what,
                  with_article(to)),
      condition && !infinite ? "compare it" : "the types have to go together");
}

}  // namespace

ir::Expr converted(Diagnostics& diagnostics, ir::Expr expr, const Type& to, std::string_view what) {
  const Type from = expr.type;
  if (can_become(expr, to)) return with_type(diagnostics, std::move(expr), to);
  if (from == to) return expr;
  if (!is_numeric(from) || !is_numeric(to)) refuse(diagnostics, expr, to, what);
  if (is_real(from) && is_integer(to)) {
    diagnostics.warning(
        expr.at,
        fmt::format("{} loses its fraction as {}, {}", with_article(from), what, with_article(to)),
        fmt::format("write ({}) before it if this is meant", to_string(to)));
    return conversion(std::move(expr), to, false);
  }
  if (expr.kind == ir::ExprKind::literal) {
    if (to.is(ValueType::int32) && !fits_int(std::get<std::int64_t>(expr.literal)))
      diagnostics.fail(expr.at, "this number is too large for an Int",
                       "declare the target as a Long");
    return number_literal(diagnostics, expr, to);
  }
  return conversion(std::move(expr), to, from.is(ValueType::int64) && to.is(ValueType::int32));
}

ir::Expr cast(Diagnostics& diagnostics, ir::Expr expr, const Type& to, Position at) {
  const auto castable = [](const Type& type) {
    return is_numeric(type) || type.is(ValueType::boolean);
  };
  if (expr.kind == ir::ExprKind::foreign && castable(to)) expr.type = to;
  if (!castable(expr.type) || !castable(to))
    diagnostics.fail(at,
                     fmt::format("{} can't be cast to {}", with_article(expr.type), to_string(to)),
                     "casts are between Int, Long, Float, Double and Bool");
  if (expr.flexible && is_numeric(to)) expr = with_type(diagnostics, std::move(expr), to);
  expr.flexible = false;
  if (expr.type == to) return expr;
  if (to.is(ValueType::boolean)) {
    ir::Expr zero = ir::identity(AssignOp::sum, expr.type, at);
    return ir::binary(BinaryOp::not_equal, std::move(expr), std::move(zero), at);
  }
  return conversion(std::move(expr), to, false);
}

void unify(Diagnostics& diagnostics, ir::Expr& left, ir::Expr& right) {
  if (can_become(left, right.type) && !right.flexible) {
    left = with_type(diagnostics, std::move(left), right.type);
    return;
  }
  if (can_become(right, left.type) && !left.flexible) {
    right = with_type(diagnostics, std::move(right), left.type);
    return;
  }
  if (!is_numeric(left.type) || !is_numeric(right.type)) return;
  const Type type = meeting(left.type, right.type);
  for (ir::Expr* side : {&left, &right}) *side = with_type(diagnostics, std::move(*side), type);
}

}  // namespace Atoll::greenmarl
