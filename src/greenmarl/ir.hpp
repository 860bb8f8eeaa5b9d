// The intermediate representation for the passes. Names are resolved to symbols and types are
// explicit. Calls are inlined, reductions and group assignments are loops, and loop conditions are
// Ifs in the body. All nodes are plain values. Array accesses are indexed by a symbol (an iterator,
// or a Node or Edge variable), never by an expression.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "greenmarl/builtins.hpp"
#include "greenmarl/operators.hpp"
#include "greenmarl/source.hpp"
#include "greenmarl/symbol.hpp"
#include "greenmarl/type.hpp"

namespace Atoll::greenmarl::ir {

struct Symbol {
  enum class Kind : std::uint8_t {
    scalar,      ///< a variable, also of type Node or Edge
    iterator,    ///< a loop's or traversal's iterator
    property,    ///< an array with an element or a collection for each node or edge
    collection,  ///< a set, order or sequence, or a Collection of these
    map,
    graph,
    traversal,  ///< the state of a breadth-first or depth-first traversal
    label,      ///< the end of an inlined call
  };
  std::string name;       ///< as in the program, or generated; not always unique
  std::string written{};  ///< for a generated name: the program's expression, for messages
  Kind kind = Kind::scalar;
  Type type = ValueType::float64;
  bool argument = false;     ///< an input
  bool result = false;       ///< an output
  bool empty_graph = false;  ///< a graph that the procedure declares, without nodes
  bool reference = false;    ///< an iterator over collections, bound to the current one
  SymbolId second_of{};      ///< set if this property is the second array of that property
  Position at{};             ///< of the declaration
};

/// The type of a property's element; for other symbols, the symbol's type.
[[nodiscard]] inline const Type& element_type(const Symbol& symbol) {
  return symbol.type.shape == Shape::property ? symbol.type.of[0] : symbol.type;
}

enum class ExprKind : std::uint8_t {
  literal,      ///< literal
  infinity,     ///< of `type`, also Node and Edge; negative: the lowest value
  nil,          ///< of `type`, which is Node or Edge
  scalar,       ///< symbol
  node,         ///< symbol, an iterator or a Node or Edge variable, as a value
  property,     ///< symbol[node]
  edge_of,      ///< the edge that the loop of the iterator `node` followed to it; negative: the
                ///< loop follows in-edges
  builtin,      ///< builtin, called on `symbol` (a graph, collection or map), `symbol[node]` (a
                ///< property of collections) or `node` (a node or edge), with args
  collection,   ///< symbol or symbol[node], a collection as an argument of a built-in
  unary,        ///< unary args[0]
  binary,       ///< args[0] binary args[1], of the same type; && and || short-circuit
  conditional,  ///< args[0] ? args[1] : args[2]
  convert,      ///< to the nearest value of `type`; checked: fails unless the value is unchanged
  foreign,      ///< texts[0] args[0] texts[1] …, C++ of the program's author
};

struct Expr {
  ExprKind kind = ExprKind::literal;
  Type type = ValueType::float64;
  Position at;
  std::variant<std::int64_t, double, bool> literal;
  SymbolId symbol;
  SymbolId node;
  Builtin builtin = Builtin::node_count;
  Receiver receiver = Receiver::nothing;
  UnaryOp unary = UnaryOp::negate;
  BinaryOp binary = BinaryOp::add;
  bool negative = false;
  bool checked = false;   ///< also: stops the program if `node` is NIL
  bool flexible = false;  ///< INF, or a choice of INFs and literals: takes the type of its context
  std::vector<Expr> args;
  std::vector<std::string> texts;
  friend bool operator==(const Expr&, const Expr&) = default;
};

/// True if the expression is this built-in.
[[nodiscard]] inline bool is(const Expr& expr, Builtin builtin) {
  return expr.kind == ExprKind::builtin && expr.builtin == builtin;
}

enum class StmtKind : std::uint8_t {
  declare,  ///< symbol = exprs[0], or zero, NIL, False; a collection or map is empty; a property in
            ///< a loop is filled with exprs[0]
  assign,   ///< symbol op exprs[0]
  write,    ///< symbol[node] op exprs[0]; deferred until the loop `bound` ends
  map_write,  ///< symbol[exprs[0]] op exprs[1]
  take,       ///< group[0] = a copy of the collection group[1], or exprs[0]
  best,       ///< <group> op <exprs>: if exprs[0] is better than group[0], assigns all
  call,       ///< exprs[0], a built-in that changes its receiver
  loop,       ///< for each `symbol` in range of `node`: body
  traversal,  ///< starts at exprs[0]; `symbol` holds its state; see below
  if_,        ///< if exprs[0]: body, else: otherwise
  while_,     ///< while (condition; exprs[0]): body
  do_while,   ///< body while (condition; exprs[0])
  region,     ///< body; a `leave` of the label `symbol` ends it
  leave,      ///< jumps to the end of the region `symbol`
  return_,    ///< exprs[0], if any
  fill,       ///< symbol[…] = exprs[0], all elements
  copy,       ///< symbol[…] = other[…], all elements
  swap,       ///< symbol and other exchange their memory
  foreign,    ///< exprs[0], foreign text that changes `group`
};
// The body of a breadth-first traversal runs once for each level, with `symbol` at that level. It
// contains a loop over Range::level of `symbol`. `otherwise` then runs for each level from the last
// to the first. The body of a depth-first traversal runs when the iterator `node` is entered,
// `otherwise` when it is left. The navigator (condition; exprs[1]) decides for each node `other`
// whether it may be entered.

/// A variable, an element of a property, or a collection.
struct Place {
  SymbolId symbol;
  SymbolId node{};  ///< kNoSymbol: the whole object
  friend bool operator==(const Place&, const Place&) = default;
};

struct Stmt {
  StmtKind kind = StmtKind::declare;
  Position at;
  SymbolId symbol;
  SymbolId node;   ///< of a loop: the graph, node, collection or traversal to iterate over
  SymbolId other;  ///< of a loop over Items: the node that has the collection; over CommonNbrs: the
                   ///< second node; over UpNbrs or DownNbrs: the traversal
  SymbolId bound;  ///< for a deferred write: the loop; else kNoSymbol
  AssignOp op = AssignOp::set;
  std::vector<Expr> exprs;
  Range range = Range::nodes;
  bool unordered = false;   ///< true for a Foreach
  bool serial = false;      ///< a Foreach that must run on one thread because its iterations share
                            ///< an array; also set on the declaration of that array
  bool parallel = false;    ///< a loop that threads share; never nested in another one
  bool backwards = false;   ///< Items from the last to the first
  bool transposed = false;  ///< a traversal against the direction of the edges
  bool breadth_first = false;
  bool checked = false;  ///< stops the program if `node` is NIL
  std::string trip;      ///< for a While or Do: its symbol in formulas
  std::vector<Place> group;
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  std::vector<Stmt> condition;  ///< statements that run before exprs[0] of While and Do, or the
                                ///< navigator, is evaluated
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

struct Procedure {
  const Source* source = nullptr;  ///< must outlive the procedure
  std::string name;
  std::vector<SymbolId> graphs;  ///< the graph parameters, in order
  std::optional<Type> returns;
  Position at;
  std::deque<Symbol> symbols;         ///< references stay valid when symbols are added
  std::vector<SymbolId> arguments;    ///< scalar inputs, in order
  std::vector<SymbolId> outputs;      ///< scalar outputs
  std::vector<SymbolId> collections;  ///< collections and maps that are parameters or declared
                                      ///< outside of all loops, in order of declaration
  std::vector<SymbolId> properties;   ///< in order of declaration; a second array follows its first
  std::vector<Stmt> body;
  std::vector<std::pair<std::string, SymbolId>>
      trips;  ///< for each While and Do: its symbol in formulas, and its counter

  [[nodiscard]] Symbol& operator[](SymbolId id) { return symbols[id.value]; }
  [[nodiscard]] const Symbol& operator[](SymbolId id) const { return symbols[id.value]; }
  SymbolId add(Symbol symbol);
  /// Adds a property generated by the compiler, directly after `after` or at the end. Makes its
  /// name unique.
  SymbolId add_property(const std::string& wished, Type type, SymbolId after = kNoSymbol);
};

/// The graph's own arrays [shoal Table 1], in its order.
enum class GraphArray : std::uint8_t { begin, node_idx, r_begin, r_node_idx, r_edge_idx };
/// "begin", …
[[nodiscard]] std::string_view to_string(GraphArray array);
/// The element type: edge (an offset) or node.
[[nodiscard]] ValueType element_type(GraphArray array);
/// The array with the offsets of a node's out- or in-edges, and the array with the nodes at their
/// other ends.
[[nodiscard]] GraphArray bounds_array(bool out);
[[nodiscard]] GraphArray ends_array(bool out);

// Constructors of expressions and statements.
[[nodiscard]] Expr literal(std::int64_t value, Type type, Position at);
[[nodiscard]] Expr real_literal(double value, Type type, Position at);
[[nodiscard]] Expr bool_literal(bool value, Position at);
[[nodiscard]] Expr infinity(Type type, bool negative, Position at);
[[nodiscard]] Expr scalar(const Procedure& procedure, SymbolId symbol, Position at);
[[nodiscard]] Expr node(const Procedure& procedure, SymbolId symbol, Position at);
[[nodiscard]] Expr nil(Type type, Position at);
/// Makes a call of a built-in on `symbol`, on `node`, or on symbol[node].
[[nodiscard]] Expr builtin(Builtin builtin, Receiver receiver, Place on, Type type,
                           std::vector<Expr> args, Position at);
[[nodiscard]] Expr property(const Procedure& procedure, SymbolId symbol, SymbolId node,
                            Position at);
[[nodiscard]] Expr binary(BinaryOp op, Expr left, Expr right, Position at);
[[nodiscard]] Expr unary(UnaryOp op, Expr operand, Position at);
[[nodiscard]] Stmt declare(SymbolId symbol, Position at, std::vector<Expr> value = {});
[[nodiscard]] Stmt assign(SymbolId symbol, AssignOp op, Expr value, Position at);
[[nodiscard]] Stmt write(SymbolId property, SymbolId node, AssignOp op, Expr value, Position at);
[[nodiscard]] Stmt if_then(Expr condition, std::vector<Stmt> body, std::vector<Stmt> otherwise,
                           Position at);
/// Makes a parallel Foreach over all nodes of the iterator's graph.
[[nodiscard]] Stmt for_all_nodes(const Procedure& procedure, SymbolId iterator,
                                 std::vector<Stmt> body, Position at);
/// Returns the initial value of a reduction: 0, 1, INF, -INF, True, False. For nodes and edges, INF
/// is NIL (the greatest id), and -INF is id 0.
[[nodiscard]] Expr identity(AssignOp op, const Type& type, Position at);

/// Prints one indented line for each statement, for tests and for debugging passes.
[[nodiscard]] std::string print(const Procedure& procedure);
[[nodiscard]] std::string print(const Procedure& procedure, const Expr& expr);
[[nodiscard]] std::string print(const Procedure& procedure, const Place& place);

}  // namespace Atoll::greenmarl::ir
