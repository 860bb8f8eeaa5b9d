// Emits expressions with the parentheses that C++ needs, and also around && inside ||.
#include "greenmarl/emit_expression.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "greenmarl/line_directives.hpp"

namespace Atoll::greenmarl {
namespace {

using ir::Expr;
using ir::ExprKind;

// Precedences of the remaining C++ operators. The language's binary operators have the same
// precedences as in C++.
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
      case ExprKind::nil:
        return {fmt::format("Atoll::graph::kNil<{}>", cpp_type(expr.type))};
      case ExprKind::scalar:
      case ExprKind::node:
        return {shared(expr.symbol, environment_.values.at(expr.symbol))};
      case ExprKind::property:
        return {shared(expr.symbol, cpp_element(environment_, expr.symbol,
                                                cpp_index(procedure_, environment_, expr.node,
                                                          expr.checked, expr.at)))};
      case ExprKind::edge_of:
        return edge_of(expr);
      case ExprKind::builtin:
        return builtin(expr);
      case ExprKind::collection:
        return {cpp_collection(procedure_, environment_, {expr.symbol, expr.node}, expr.checked,
                               expr.at)};
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
      case ExprKind::foreign:
        return {fmt::format("static_cast<{}>({}\n)", cpp_type(expr.type), foreign(expr, ""))};
    }
    throw InternalError("expression");
  }

  [[nodiscard]] std::string foreign(const Expr& expr, std::string_view end) const {
    std::string text = expr.texts[0];
    for (std::size_t i = 0; i < expr.args.size(); ++i)
      text += emit(expr.args[i]).text + expr.texts[i + 1];
    return with_program_lines(procedure_, expr.at, text.append(end));
  }

 private:
  /// Returns the text, in parentheses if its precedence is lower than `least`.
  [[nodiscard]] std::string within(const Expr& expr, int least) const {
    Text text = emit(expr);
    return text.precedence < least ? fmt::format("({})", text.text) : std::move(text.text);
  }

  [[nodiscard]] ir::SymbolId graph_of(ir::SymbolId element) const {
    return procedure_[element].type.graph;
  }

  [[nodiscard]] std::string place(const Expr& expr) const { return cpp_place(procedure_, expr.at); }

  /// Emits an atomic load if other threads write the symbol concurrently.
  [[nodiscard]] std::string shared(ir::SymbolId symbol, std::string text) const {
    if (!is_shared(symbol)) return text;
    return fmt::format("Atoll::graph::load({})", text);
  }

  [[nodiscard]] Text edge_of(const Expr& expr) const {
    const std::string& position = environment_.edges.at(expr.node);
    if (!expr.negative) return {position};
    return {cpp_element(environment_, graph_of(expr.node), ir::GraphArray::r_edge_idx, position)};
  }

  static Text literal(const Expr& expr) {
    std::string text;
    if (const auto* truth = std::get_if<bool>(&expr.literal)) {
      text = *truth ? "true" : "false";
    } else if (const auto* integer = std::get_if<std::int64_t>(&expr.literal)) {
      // C++ parses -9223372036854775808 as a negated literal, which is out of range.
      if (*integer == std::numeric_limits<std::int64_t>::min())
        return {"std::numeric_limits<std::int64_t>::min()"};
      text = std::to_string(*integer);
    } else {
      const double value = std::get<double>(expr.literal);
      const bool narrow = expr.type.is(ValueType::float32);
      text = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
      if (text.find_first_of(".e") == std::string::npos) text += ".0";
      if (narrow) text += "F";
    }
    return {text, text[0] == '-' ? kUnary : kPrimary};
  }

  static Text infinity(const Expr& expr) {
    const std::string type = cpp_type(expr.type);
    if (is_integer(expr.type) || expr.type.is_element())
      return {fmt::format("std::numeric_limits<{}>::{}()", type, expr.negative ? "min" : "max")};
    return {fmt::format("{}std::numeric_limits<{}>::infinity()", expr.negative ? "-" : "", type),
            expr.negative ? kUnary : kPrimary};
  }

  [[nodiscard]] std::string node_of(const Expr& expr) const {
    return cpp_index(procedure_, environment_, expr.node, expr.checked, expr.at);
  }

  /// Emits a number of nodes or edges, or a degree, in its unsigned type.
  [[nodiscard]] std::string count(const Expr& expr) const {
    if (ir::is(expr, Builtin::node_count) || ir::is(expr, Builtin::edge_count))
      return fmt::format("{}.{}()", environment_.values.at(expr.symbol),
                         ir::is(expr, Builtin::node_count) ? "nodes" : "edges");
    const ir::SymbolId graph = graph_of(expr.node);
    const ir::GraphArray array = ir::bounds_array(ir::is(expr, Builtin::out_degree));
    const std::string node = node_of(expr);
    return fmt::format("{} - {}", cpp_element(environment_, graph, array, node + " + 1"),
                       cpp_element(environment_, graph, array, node));
  }

  [[nodiscard]] Text builtin(const Expr& expr) const {
    const auto arg = [&](std::size_t i) { return emit(expr.args[i]).text; };
    const auto lists = [&] {
      const ir::SymbolId graph = graph_of(expr.node);
      return fmt::format("{}, {}", cpp_pointer(environment_, graph, ir::GraphArray::begin),
                         cpp_pointer(environment_, graph, ir::GraphArray::node_idx));
    };
    switch (expr.builtin) {
      case Builtin::node_count:
      case Builtin::edge_count:
      case Builtin::out_degree:
      case Builtin::in_degree:
        return {fmt::format("static_cast<{}>({})", cpp_type(expr.type), count(expr))};
      case Builtin::any_node:
        return {fmt::format("Atoll::program::any_node<Node>({}, {}.nodes())", environment_.random,
                            environment_.values.at(expr.symbol))};
      case Builtin::has_edge_to:
        return {fmt::format("Atoll::graph::has_edge({}, {}, {})", lists(), node_of(expr),
                            existing(expr, expr.args[0]))};
      case Builtin::has_edge_from:
        return {fmt::format("Atoll::graph::has_edge({}, {}, {})", lists(),
                            existing(expr, expr.args[0]), node_of(expr))};
      case Builtin::any_neighbour:
        return {fmt::format("Atoll::program::any_neighbour({}, {}, {})", environment_.random,
                            lists(), node_of(expr))};
      case Builtin::from_node:
        return {fmt::format("Atoll::graph::edge_source<Node>({}, {}.nodes(), {})",
                            cpp_pointer(environment_, graph_of(expr.node), ir::GraphArray::begin),
                            environment_.values.at(graph_of(expr.node)), node_of(expr))};
      case Builtin::to_node:
        return {cpp_element(environment_, graph_of(expr.node), ir::GraphArray::node_idx,
                            node_of(expr))};
      case Builtin::uniform:
        return {fmt::format("{}.uniform()", environment_.random)};
      case Builtin::rand:
        return {fmt::format("Atoll::program::below({}, {}, {})", environment_.random, arg(0),
                            place(expr))};
      case Builtin::log:
      case Builtin::exp:
        return {fmt::format("std::{}({})", expr.builtin == Builtin::log ? "log" : "exp", arg(0))};
      case Builtin::pow:
        return {fmt::format("std::pow({}, {})", arg(0), arg(1))};
      default:
        return {of_collection(expr)};
    }
  }

  /// Emits an argument that must be a node or edge, with a run-time check if it may be NIL.
  [[nodiscard]] std::string existing(const Expr& whole, const Expr& arg) const {
    const bool iterator =
        arg.kind == ExprKind::node && procedure_[arg.symbol].kind == ir::Symbol::Kind::iterator;
    std::string text = emit(arg).text;
    if (iterator) return text;
    return fmt::format("Atoll::program::existing({}, {})", text, place(whole));
  }

  [[nodiscard]] bool is_shared(ir::SymbolId symbol) const {
    return environment_.in_parallel && environment_.shared.contains(symbol);
  }

  /// Emits an argument of a collection's built-in. A collection that threads share is copied first.
  [[nodiscard]] std::string argument(const Expr& expr, std::size_t i) const {
    const Expr& arg = expr.args[i];
    const bool into = expr.builtin == Builtin::add || expr.builtin == Builtin::push_back ||
                      expr.builtin == Builtin::push_front;
    if (arg.kind == ExprKind::collection && is_shared(arg.symbol))
      return fmt::format("Atoll::program::locked({0}, [&] {{ return {0}; }})", emit(arg).text);
    if (into && arg.kind != ExprKind::collection) return existing(expr, arg);
    return emit(arg).text;
  }

  /// Emits a built-in of a collection or map, under its lock if threads share it. Arguments are
  /// evaluated before the lock is acquired, so that a thread never holds two locks.
  [[nodiscard]] std::string of_collection(const Expr& expr) const {
    const std::string object =
        cpp_collection(procedure_, environment_, {expr.symbol, expr.node}, expr.checked, expr.at);
    const std::string arg = expr.args.empty() ? "" : argument(expr, 0);
    if (!is_shared(expr.symbol)) return call_of(expr, object, arg);
    if (expr.args.empty())
      return fmt::format("Atoll::program::locked({}, [&] {{ return {}; }})", object,
                         call_of(expr, object, ""));
    return fmt::format("Atoll::program::locked({}, [&](const auto& given) {{ return {}; }}, {})",
                       object, call_of(expr, object, "given"), arg);
  }

  [[nodiscard]] std::string call_of(const Expr& expr, const std::string& object,
                                    const std::string& arg) const {
    const auto method = [&](std::string_view name) {
      return fmt::format("{}.{}({})", object, name, arg);
    };
    // Emits a removal that stops the program if the collection is empty.
    const auto taken = [&](std::string_view name, std::string_view what) {
      return fmt::format("Atoll::program::not_empty({}, \"{}\", {}).{}()", object, what,
                         place(expr), name);
    };
    switch (expr.builtin) {
      case Builtin::add:
        return method("add");
      case Builtin::remove:
        return method("remove");
      case Builtin::has:
        return method("has");
      case Builtin::unite:
        return method("unite");
      case Builtin::intersect:
        return method("intersect");
      case Builtin::subtract:
        return method("subtract");
      case Builtin::is_subset_of:
        return method("is_subset_of");
      case Builtin::size:
        return fmt::format("static_cast<std::int64_t>({}.size())", object);
      case Builtin::clear:
        return method("clear");
      case Builtin::push_back:
        return method("push_back");
      case Builtin::push_front:
        return method("push_front");
      case Builtin::pop_back:
        return taken("pop_back", "PopBack");
      case Builtin::pop_front:
        return taken("pop_front", "PopFront");
      case Builtin::set_all:
        return method("set_all");
      case Builtin::get:
        return fmt::format("{}.get({}, {})", object, arg, cpp_zero(expr.type));
      case Builtin::has_key:
        return method("has_key");
      case Builtin::has_min_value:
        return method("has_min_value");
      case Builtin::has_max_value:
        return method("has_max_value");
      case Builtin::min_key:
        return taken("min_key", "GetMinKey");
      case Builtin::max_key:
        return taken("max_key", "GetMaxKey");
      case Builtin::min_value:
        return taken("min_value", "GetMinValue");
      case Builtin::max_value:
        return taken("max_value", "GetMaxValue");
      default:
        throw InternalError("built-in");
    }
  }

  [[nodiscard]] Text unary(const Expr& expr) const {
    if (expr.unary == UnaryOp::absolute)
      return {fmt::format("std::abs({})", emit(expr.args[0]).text)};
    // Unary operands get parentheses: "- -x" must not become "--x".
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
      return {fmt::format("Atoll::program::{}<{}>({}, {}, {})",
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
    const std::string to = cpp_type(expr.type);
    if (expr.checked)
      return fmt::format("Atoll::program::narrow({}, {})", emit(from).text, place(expr));
    const bool is_count = ir::is(from, Builtin::node_count) || ir::is(from, Builtin::edge_count) ||
                          ir::is(from, Builtin::out_degree) || ir::is(from, Builtin::in_degree);
    if (is_count && is_real(expr.type)) return fmt::format("static_cast<{}>({})", to, count(from));
    const bool may_lose = (is_real(from.type) && is_integer(expr.type)) ||
                          (from.type.is(ValueType::int64) && expr.type.is(ValueType::int32));
    return may_lose ? fmt::format("Atoll::program::nearest<{}>({})", to, emit(from).text)
                    : fmt::format("static_cast<{}>({})", to, emit(from).text);
  }

  const ir::Procedure& procedure_;
  const Environment& environment_;
};

}  // namespace

std::string cpp(const ir::Procedure& procedure, const Environment& environment,
                const ir::Expr& expr) {
  return ExpressionEmitter(procedure, environment).emit(expr).text;
}

std::string cpp_foreign(const ir::Procedure& procedure, const Environment& environment,
                        const ir::Expr& expr) {
  return ExpressionEmitter(procedure, environment).foreign(expr, ";");
}

}  // namespace Atoll::greenmarl
