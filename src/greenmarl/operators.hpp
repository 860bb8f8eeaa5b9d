// The operators that the syntax tree and the intermediate representation share.
#pragma once

#include <cstdint>
#include <string_view>

namespace Atoll::greenmarl {

enum class UnaryOp : std::uint8_t { negate, logical_not, absolute };

enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
};

/// `set` is plain assignment; the others combine, and may come in any order.
enum class AssignOp : std::uint8_t { set, sum, product, min, max, all, any };

/// Sum(w: t.InNbrs){…} and similar ones.
enum class Reduction : std::uint8_t { sum, product, min, max, count, all, exist, average };

/// What a loop runs over: all nodes of the graph, or a node's neighbours along out- or in-edges.
enum class Range : std::uint8_t { nodes, out_nbrs, in_nbrs };

/// "+", "==", "&&"
[[nodiscard]] std::string_view to_string(BinaryOp op);
/// "=", "+=", "min="
[[nodiscard]] std::string_view to_string(AssignOp op);
/// "Sum"
[[nodiscard]] std::string_view to_string(Reduction reduction);
/// "Nodes", "Nbrs", "InNbrs"
[[nodiscard]] std::string_view to_string(Range range);

/// How tightly the operator binds; more is tighter. All are left-associative.
[[nodiscard]] int precedence(BinaryOp op);
[[nodiscard]] bool is_comparison(BinaryOp op);
[[nodiscard]] bool is_arithmetic(BinaryOp op);

}  // namespace Atoll::greenmarl
