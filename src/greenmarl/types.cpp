// Makes conversions explicit in the intermediate representation.
#include "greenmarl/types.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace Atoll::greenmarl {
namespace {

ir::Expr conversion(ir::Expr expr, Type to, bool checked) {
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

ir::Expr number_literal(const Source& source, const ir::Expr& expr, Type to) {
  if (is_integer(to)) return ir::literal(std::get<std::int64_t>(expr.literal), to, expr.at);
  const double value = std::holds_alternative<double>(expr.literal)
                           ? std::get<double>(expr.literal)
                           : static_cast<double>(std::get<std::int64_t>(expr.literal));
  if (to == Type::float32 && std::abs(value) > std::numeric_limits<float>::max())
    fail(source, expr.at, "this number is too large for a Float", "declare the target as a Double");
  return ir::real_literal(value, to, expr.at);
}

// INF, and expressions that only pass it on, take the type of their context.
ir::Expr with_type(const Source& source, ir::Expr expr, Type to) {
  if (!expr.flexible) return converted(source, std::move(expr), to, "a value");
  expr.type = to;
  if (expr.kind == ir::ExprKind::conditional)
    for (std::size_t i = 1; i < 3; ++i)
      expr.args[i] = with_type(source, std::move(expr.args[i]), to);
  return expr;
}

Type meeting(Type left, Type right) {
  for (const Type type : {Type::float64, Type::float32, Type::int64})
    if (left == type || right == type) return type;
  return Type::int32;
}

}  // namespace

bool is_integer(Type type) {
  return type == Type::int32 || type == Type::int64;
}
bool is_real(Type type) {
  return type == Type::float32 || type == Type::float64;
}
bool is_numeric(Type type) {
  return is_integer(type) || is_real(type);
}

std::string with_article(Type type) {
  return fmt::format("{} {}", type == Type::int32 || type == Type::edge ? "an" : "a",
                     to_string(type));
}

ir::Expr converted(const Source& source, ir::Expr expr, Type to, std::string_view what) {
  const Type from = expr.type;
  if (expr.flexible && is_numeric(to)) return with_type(source, std::move(expr), to);
  if (from == to) return expr;
  if (!is_numeric(from) || !is_numeric(to)) {
    const bool condition = to == Type::boolean && is_numeric(from);
    fail(source, expr.at,
         fmt::format("{} can't be {}, {}", with_article(from), what, with_article(to)),
         condition ? "compare it" : "the types have to go together");
  }
  if (is_real(from) && is_integer(to))
    fail(source, expr.at,
         fmt::format("{} can't be {}, {}", with_article(from), what, with_article(to)),
         fmt::format("write ({}) before it", to_string(to)));
  if (expr.kind == ir::ExprKind::literal) {
    if (to == Type::int32 && !fits_int(std::get<std::int64_t>(expr.literal)))
      fail(source, expr.at, "this number is too large for an Int", "declare the target as a Long");
    return number_literal(source, expr, to);
  }
  return conversion(std::move(expr), to, from == Type::int64 && to == Type::int32);
}

ir::Expr cast(const Source& source, ir::Expr expr, Type to, Position at) {
  const auto castable = [](Type type) { return is_numeric(type) || type == Type::boolean; };
  if (!castable(expr.type) || !castable(to))
    fail(source, at, fmt::format("{} can't be cast to {}", with_article(expr.type), to_string(to)),
         "casts are between Int, Long, Float, Double and Bool");
  if (expr.flexible && is_numeric(to)) expr = with_type(source, std::move(expr), to);
  expr.flexible = false;
  if (expr.type == to) return expr;
  if (to == Type::boolean) {
    ir::Expr zero = ir::identity(AssignOp::sum, expr.type, at);
    return ir::binary(BinaryOp::not_equal, std::move(expr), std::move(zero), at);
  }
  return conversion(std::move(expr), to, false);
}

void unify(const Source& source, ir::Expr& left, ir::Expr& right) {
  const Type type = left.flexible && !right.flexible   ? right.type
                    : right.flexible && !left.flexible ? left.type
                                                       : meeting(left.type, right.type);
  for (ir::Expr* side : {&left, &right}) *side = with_type(source, std::move(*side), type);
}

}  // namespace Atoll::greenmarl
