// The intermediate representation that passes work on: names are symbols, types are explicit,
// reductions and group assignments are loops, and conditions of loops are Ifs in them. Plain
// values. An array is only ever reached at a symbol (an iterator or a Node variable), never at an
// expression.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/operators.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl::ir {

/// An index into Procedure::symbols.
struct SymbolId {
  std::uint32_t value = UINT32_MAX;
  friend auto operator<=>(SymbolId, SymbolId) = default;
};
inline constexpr SymbolId kNoSymbol{};

struct Symbol {
  enum class Kind : std::uint8_t {
    scalar,    ///< a variable; of type Node too
    iterator,  ///< a loop's iterator
    property,  ///< an array with an element for each node
  };
  std::string name;  ///< as in the program, or made by the compiler; not always unique
  Kind kind = Kind::scalar;
  Type type = Type::float64;
  bool argument = false;
  bool result = false;  ///< an output property
  SymbolId second_of;   ///< set if this property is the second array of that one
  Position at;          ///< of the declaration
};

enum class ExprKind : std::uint8_t {
  literal,      ///< literal
  infinity,     ///< of `type`; negative: the lowest value
  scalar,       ///< symbol
  node,         ///< symbol, an iterator or a Node variable, as a value
  property,     ///< symbol[node]
  node_count,   ///< G.NumNodes()
  edge_count,   ///< G.NumEdges()
  out_degree,   ///< of `node`
  in_degree,    ///< of `node`
  unary,        ///< unary args[0]
  binary,       ///< args[0] binary args[1]; both of one type; && and || evaluate args[1] if needed
  conditional,  ///< args[0] ? args[1] : args[2]
  convert,      ///< to `type`, the nearest value of it; checked: fails if it isn't the same value
};

struct Expr {
  ExprKind kind = ExprKind::literal;
  Type type = Type::float64;
  Position at;
  std::variant<std::int64_t, double, bool> literal;
  SymbolId symbol;
  SymbolId node;
  UnaryOp unary = UnaryOp::negate;
  BinaryOp binary = BinaryOp::add;
  bool negative = false;
  bool checked = false;
  bool flexible =
      false;  ///< an INF, or a choice of INFs and literals: takes the type of its context
  std::vector<Expr> args;
  friend bool operator==(const Expr&, const Expr&) = default;
};

enum class StmtKind : std::uint8_t {
  declare,   ///< symbol = exprs[0], or zero
  assign,    ///< symbol op exprs[0]
  write,     ///< symbol[node] op exprs[0]; deferred until loop `bound` ends
  loop,      ///< for each `symbol` in range of `node`: body
  if_,       ///< if exprs[0]: body, else: otherwise
  while_,    ///< while (condition; exprs[0]): body
  do_while,  ///< body while (condition; exprs[0])
  return_,   ///< exprs[0], if any
  fill,      ///< symbol[…] = exprs[0], all elements
  copy,      ///< symbol[…] = other[…], all elements
  swap,      ///< symbol and other exchange their memory
};

struct Stmt {
  StmtKind kind = StmtKind::declare;
  Position at;
  SymbolId symbol;
  SymbolId node;
  SymbolId other;
  SymbolId bound;  ///< for a deferred write; else kNoSymbol
  AssignOp op = AssignOp::set;
  std::vector<Expr> exprs;
  Range range = Range::nodes;
  bool unordered = false;  ///< true for a Foreach
  bool parallel = false;   ///< true if threads share it: over all nodes, and in no other such loop
  std::string trip;        ///< for a While or Do: its symbol in formulas
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  std::vector<Stmt> condition;  ///< statements to run before exprs[0] of While and Do is evaluated
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

struct Procedure {
  const Source* source = nullptr;  ///< outlives the procedure
  std::string name;
  std::string graph;
  std::optional<Type> returns;
  Position at;
  std::vector<Symbol> symbols;
  std::vector<SymbolId> arguments;   ///< scalars, in order
  std::vector<SymbolId> properties;  ///< in order of declaration, a second array after its first
  std::vector<Stmt> body;
  std::vector<std::pair<std::string, SymbolId>>
      trips;  ///< for each While and Do: where it is counted

  [[nodiscard]] Symbol& operator[](SymbolId id) { return symbols[id.value]; }
  [[nodiscard]] const Symbol& operator[](SymbolId id) const { return symbols[id.value]; }
  SymbolId add(Symbol symbol);
  /// Adds a property made by the compiler, right behind `after` or at the end. Its name is made
  /// unique.
  SymbolId add_property(const std::string& wished, Type type, SymbolId after = kNoSymbol);
};

/// The graph's own arrays [shoal Table 1], in its order.
enum class GraphArray : std::uint8_t { begin, node_idx, r_begin, r_node_idx };
/// "begin", …
[[nodiscard]] std::string_view to_string(GraphArray array);
/// The type edge (an offset) or node.
[[nodiscard]] Type element_type(GraphArray array);
/// The array that says where the out- or in-edges of a node start, and that of the nodes at their
/// other ends.
[[nodiscard]] GraphArray bounds_array(bool out);
[[nodiscard]] GraphArray ends_array(bool out);

// Building blocks.
[[nodiscard]] Expr literal(std::int64_t value, Type type, Position at);
[[nodiscard]] Expr real_literal(double value, Type type, Position at);
[[nodiscard]] Expr bool_literal(bool value, Position at);
[[nodiscard]] Expr infinity(Type type, bool negative, Position at);
[[nodiscard]] Expr scalar(const Procedure& procedure, SymbolId symbol, Position at);
[[nodiscard]] Expr node(SymbolId symbol, Position at);
[[nodiscard]] Expr property(const Procedure& procedure, SymbolId symbol, SymbolId node,
                            Position at);
[[nodiscard]] Expr binary(BinaryOp op, Expr left, Expr right, Position at);
[[nodiscard]] Expr unary(UnaryOp op, Expr operand, Position at);
[[nodiscard]] Stmt declare(SymbolId symbol, Position at, std::vector<Expr> value = {});
[[nodiscard]] Stmt assign(SymbolId symbol, AssignOp op, Expr value, Position at);
[[nodiscard]] Stmt write(SymbolId property, SymbolId node, AssignOp op, Expr value, Position at);
[[nodiscard]] Stmt if_then(Expr condition, std::vector<Stmt> body, std::vector<Stmt> otherwise,
                           Position at);
/// Makes a parallel Foreach over all nodes.
[[nodiscard]] Stmt for_all_nodes(SymbolId iterator, std::vector<Stmt> body, Position at);
/// The value that a reduction starts from: 0, 1, INF, -INF, True, False.
[[nodiscard]] Expr identity(AssignOp op, Type type, Position at);

/// Prints one line for each statement, indented: for tests, and for people who work on a pass.
[[nodiscard]] std::string print(const Procedure& procedure);
[[nodiscard]] std::string print(const Procedure& procedure, const Expr& expr);

}  // namespace Atoll::greenmarl::ir
