// The operators of the syntax tree and of the intermediate representation.
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

/// `set` is a plain assignment. The others combine values, in any order.
enum class AssignOp : std::uint8_t { set, sum, product, min, max, all, any };

/// Reductions such as Sum(w: t.InNbrs){…}.
enum class Reduction : std::uint8_t { sum, product, min, max, count, all, exist, average };

/// The range of a loop.
enum class Range : std::uint8_t {
  nodes,        ///< all nodes of a graph
  edges,        ///< all edges of a graph
  out_nbrs,     ///< a node's neighbours along out-edges
  in_nbrs,      ///< … along in-edges
  up_nbrs,      ///< in a breadth-first traversal: the neighbours one level closer to the root
  down_nbrs,    ///< … one level farther from the root
  items,        ///< the members of a collection
  common_nbrs,  ///< common out-neighbours of two nodes
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

/// Precedence of the operator; a higher number binds more tightly. All operators are
/// left-associative.
[[nodiscard]] int precedence(BinaryOp op);
[[nodiscard]] bool is_comparison(BinaryOp op);
[[nodiscard]] bool is_arithmetic(BinaryOp op);

}  // namespace Atoll::greenmarl
