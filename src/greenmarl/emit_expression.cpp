// Emits expressions, with parentheses where C++ needs them, and around && in ||.
#include "greenmarl/emit_expression.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "greenmarl/types.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;

// C++'s precedences beyond those of the language's binary operators, which agree with C++'s.
constexpr int kTernary = 0;
constexpr int kUnary = 7;
constexpr int kPrimary = 8;

struct Text {
  std::string text;
  int precedence = kPrimary;
};

class ExpressionEmitter {
 public:
  ExpressionEmitter(const ir::Procedure& procedure, const Environment& environment)
      : procedure_(procedure), environment_(environment) {}

  [[nodiscard]] Text emit(const Expr& expr) const {
    switch (expr.kind) {
      case ExprKind::literal:
        return literal(expr);
      case ExprKind::infinity:
        return infinity(expr);
      case ExprKind::scalar:
      case ExprKind::node:
        return {environment_.values.at(expr.symbol)};
      case ExprKind::property:
        return {cpp_element(environment_, expr.symbol, expr.node)};
      case ExprKind::node_count:
      case ExprKind::edge_count:
      case ExprKind::out_degree:
      case ExprKind::in_degree:
        return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), count(expr))};
      case ExprKind::unary:
        return unary(expr);
      case ExprKind::binary:
        return binary(expr);
      case ExprKind::conditional:
        return {fmt::format("{} ? {} : {}", within(expr.args[0], 1), within(expr.args[1], 1),
                            within(expr.args[2], 1)),
                kTernary};
      case ExprKind::convert:
        return {conversion(expr)};
    }
    throw InternalError("expression");
  }

 private:
  /// The text, in parentheses if it binds less tightly than `least`.
  [[nodiscard]] std::string within(const Expr& expr, int least) const {
    Text text = emit(expr);
    return text.precedence < least ? fmt::format("({})", text.text) : std::move(text.text);
  }

  [[nodiscard]] std::string place(const Expr& expr) const {
    const std::filesystem::path file = procedure_.source->name;
    return cpp_string(
        fmt::format("{}:{}:{}", file.filename().string(), expr.at.line, expr.at.column));
  }

  static Text literal(const Expr& expr) {
    std::string text;
    if (const auto* truth = std::get_if<bool>(&expr.literal)) {
      text = *truth ? "true" : "false";
    } else if (const auto* integer = std::get_if<std::int64_t>(&expr.literal)) {
      text = std::to_string(*integer);
    } else {
      const double value = std::get<double>(expr.literal);
      const bool narrow = expr.type == Type::float32;
      text = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      if (narrow) text += "F";
    }
    return {text, text[0] == '-' ? kUnary : kPrimary};
  }

  static Text infinity(const Expr& expr) {
    const std::string_view type = cpp_type(expr.type);
    if (is_integer(expr.type))
      return {fmt::format("std::numeric_limits<{}>::{}()", type, expr.negative ? "min" : "max")};
    return {fmt::format("{}std::numeric_limits<{}>::infinity()", expr.negative ? "-" : "", type),
            expr.negative ? kUnary : kPrimary};
  }

  /// The unsigned number as it is in memory.
  [[nodiscard]] std::string count(const Expr& expr) const {
    if (expr.kind == ExprKind::node_count) return "run.nodes()";
    if (expr.kind == ExprKind::edge_count) return "run.edges()";
    const ir::GraphArray array = ir::bounds_array(expr.kind == ExprKind::out_degree);
    const std::string& node = environment_.values.at(expr.node);
    return fmt::format("{} - {}", cpp_element(environment_, array, node + " + 1"),
                       cpp_element(environment_, array, node));
  }

  [[nodiscard]] Text unary(const Expr& expr) const {
    if (expr.unary == UnaryOp::absolute)
      return {fmt::format("std::abs({})", emit(expr.args[0]).text)};
    // Operands that are unary themselves get parentheses: "- -x" must not become "--x".
    return {fmt::format("{}{}", expr.unary == UnaryOp::negate ? "-" : "!",
                        within(expr.args[0], kPrimary)),
            kUnary};
  }

  [[nodiscard]] Text binary(const Expr& expr) const {
    const Expr& left = expr.args[0];
    const Expr& right = expr.args[1];
    const bool divides = expr.binary == BinaryOp::divide || expr.binary == BinaryOp::modulo;
    const bool safe = right.kind == ExprKind::literal && is_integer(right.type) &&
                      std::get<std::int64_t>(right.literal) > 0;
    if (divides && is_integer(expr.type) && !safe)
      return {fmt::format("Atoll::greenmarl::{}<{}>({}, {}, {})",
                          expr.binary == BinaryOp::divide ? "divide" : "remainder",
                          cpp_type(expr.type), emit(left).text, emit(right).text, place(expr))};
    const int own = precedence(expr.binary);
    const int least_left = expr.binary == BinaryOp::logical_or ? 3 : own;
    return {fmt::format("{} {} {}", within(left, least_left), to_string(expr.binary),
                        within(right, expr.binary == BinaryOp::logical_or ? 3 : own + 1)),
            own};
  }

  [[nodiscard]] std::string conversion(const Expr& expr) const {
    const Expr& from = expr.args[0];
    const std::string_view to = cpp_type(expr.type);
    if (expr.checked)
      return fmt::format("Atoll::greenmarl::narrow({}, {})", emit(from).text, place(expr));
    const bool is_count = from.kind == ExprKind::node_count || from.kind == ExprKind::edge_count ||
                          from.kind == ExprKind::out_degree || from.kind == ExprKind::in_degree;
    if (is_count && is_real(expr.type)) return fmt::format("static_cast<{}>({})", to, count(from));
    const bool may_lose = (is_real(from.type) && is_integer(expr.type)) ||
                          (from.type == Type::int64 && expr.type == Type::int32);
    return may_lose ? fmt::format("Atoll::greenmarl::nearest<{}>({})", to, emit(from).text)
                    : fmt::format("static_cast<{}>({})", to, emit(from).text);
  }

  const ir::Procedure& procedure_;
  const Environment& environment_;
};

}  // namespace

std::string_view cpp_type(Type type) {
  switch (type) {
    case Type::int32:
      return "std::int32_t";
    case Type::int64:
      return "std::int64_t";
    case Type::float32:
      return "float";
    case Type::float64:
      return "double";
    case Type::boolean:
      return "bool";
    case Type::node:
      return "Node";
    case Type::edge:
      return "Edge";
  }
  return "?";
}

std::string cpp_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    const auto byte = static_cast<unsigned char>(c);
    literal += byte < ' ' || byte == 0x7f ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return literal + '"';
}

std::string cpp_element(const Environment& environment, ir::SymbolId property, ir::SymbolId node) {
  const std::string& index = environment.values.at(node);
  if (environment.on_pointers)
    return fmt::format("{}[{}]", environment.pointers.at(property), index);
  return fmt::format("{}.get({})", environment.objects.at(property), index);
}

std::string cpp_element(const Environment& environment, ir::GraphArray array,
                        const std::string& index) {
  if (environment.on_pointers)
    return fmt::format("{}[{}]", environment.graph_pointers.at(array), index);
  return fmt::format("run.{}.get({})", ir::to_string(array), index);
}

std::string cpp(const ir::Procedure& procedure, const Environment& environment,
                const ir::Expr& expr) {
  return ExpressionEmitter(procedure, environment).emit(expr).text;
}

}  // namespace Atoll::greenmarl
