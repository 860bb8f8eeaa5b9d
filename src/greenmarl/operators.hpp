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

/// What a loop runs over.
enum class Range : std::uint8_t {
  nodes,        ///< all nodes of a graph
  edges,        ///< all edges of a graph
  out_nbrs,     ///< a node's neighbours along out-edges
  in_nbrs,      ///< … along in-edges
  up_nbrs,      ///< in a breadth-first traversal: the neighbours one level nearer to the root
  down_nbrs,    ///< … one level further away
  items,        ///< what a collection holds
  common_nbrs,  ///< out-neighbours of two nodes
  level,        ///< the nodes of a breadth-first traversal's level
};

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
