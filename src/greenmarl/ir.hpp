// The intermediate representation that passes work on: names are symbols, types are explicit, calls
// are replaced by what they do, reductions and group assignments are loops, and conditions of loops
// are Ifs in them. Plain values. An array is only ever reached at a symbol (an iterator, or a Node
// or Edge variable), never at an expression.
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
    scalar,      ///< a variable; of type Node or Edge too
    iterator,    ///< a loop's or traversal's iterator
    property,    ///< an array with an element for each node or edge; or collections for each
    collection,  ///< a set, order, sequence, or a collection of those
    map,
    graph,
    traversal,  ///< what a breadth-first or depth-first traversal remembers
    label,      ///< the end of a call's body
  };
  std::string name;       ///< as in the program, or made by the compiler; not always unique
  std::string written{};  ///< if the compiler made the name: the program's expression, for messages
  Kind kind = Kind::scalar;
  Type type = ValueType::float64;
  bool argument = false;     ///< an input
  bool result = false;       ///< an output
  bool empty_graph = false;  ///< a graph that the procedure declares: it has no node
  bool reference = false;    ///< a collection that an iterator stands for
  SymbolId second_of{};      ///< set if this property is the second array of that one
  Position at{};             ///< of the declaration
};

/// What an expression or an element of a property is: a property's element, or the type itself.
[[nodiscard]] inline const Type& element_type(const Symbol& symbol) {
  return symbol.type.shape == Shape::property ? symbol.type.of[0] : symbol.type;
}

enum class ExprKind : std::uint8_t {
  literal,      ///< literal
  infinity,     ///< of `type`, also of Node and Edge; negative: the lowest value
  nil,          ///< of `type`, Node or Edge
  scalar,       ///< symbol
  node,         ///< symbol, an iterator or a Node or Edge variable, as a value
  property,     ///< symbol[node]
  edge_of,      ///< the edge that led the loop of the iterator `node` to it; negative: the loop
                ///< runs along in-edges
  builtin,      ///< builtin, called on `symbol` (a graph, collection or map), `symbol[node]` (a
                ///< property of collections) or `node` (a node or edge), with args
  collection,   ///< symbol or symbol[node], a collection as an argument of a built-in
  unary,        ///< unary args[0]
  binary,       ///< args[0] binary args[1]; both of one type; && and || evaluate args[1] if needed
  conditional,  ///< args[0] ? args[1] : args[2]
  convert,      ///< to `type`, the nearest value of it; checked: fails if it isn't the same value
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
  bool checked = false;  ///< also: `node` may be NIL, where the program stops
  bool flexible =
      false;  ///< an INF, or a choice of INFs and literals: takes the type of its context
  std::vector<Expr> args;
  std::vector<std::string> texts;
  friend bool operator==(const Expr&, const Expr&) = default;
};

/// True if the expression is this built-in.
[[nodiscard]] inline bool is(const Expr& expr, Builtin builtin) {
  return expr.kind == ExprKind::builtin && expr.builtin == builtin;
}

enum class StmtKind : std::uint8_t {
  declare,  ///< symbol = exprs[0], or zero, NIL, False; a collection or map: empty; a property in a
            ///< loop: exprs[0] everywhere
  assign,   ///< symbol op exprs[0]
  write,    ///< symbol[node] op exprs[0]; deferred until loop `bound` ends
  map_write,  ///< symbol[exprs[0]] op exprs[1]
  take,       ///< group[0] = group[1], a copy of a collection, or = exprs[0]
  best,       ///< <group> op <exprs>: if exprs[0] is better than group[0], all are assigned
  call,       ///< exprs[0], a built-in that changes what it is called on
  loop,       ///< for each `symbol` in range of `node`: body
  traversal,  ///< from exprs[0], `symbol` remembers; see below
  if_,        ///< if exprs[0]: body, else: otherwise
  while_,     ///< while (condition; exprs[0]): body
  do_while,   ///< body while (condition; exprs[0])
  region,     ///< body, which `leave` of the label `symbol` ends
  leave,      ///< goes to the end of the region `symbol`
  return_,    ///< exprs[0], if any
  fill,       ///< symbol[…] = exprs[0], all elements
  copy,       ///< symbol[…] = other[…], all elements
  swap,       ///< symbol and other exchange their memory
  foreign,    ///< exprs[0], text that changes `group`
};
// A breadth-first traversal's body runs once for each level, with `symbol` at that level, and holds
// a loop over Range::level of `symbol`; `otherwise` runs so from the last level to the first. A
// depth-first traversal's body runs when the iterator `node` is entered, `otherwise` when it is
// left. `navigator` (condition; exprs[1]) says of `other` if it may be entered.

/// A variable, an element of a property, or a collection.
struct Place {
  SymbolId symbol;
  SymbolId node{};  ///< kNoSymbol: the whole
  friend bool operator==(const Place&, const Place&) = default;
};

struct Stmt {
  StmtKind kind = StmtKind::declare;
  Position at;
  SymbolId symbol;
  SymbolId node;   ///< of a loop: the graph, node, collection or traversal that it runs over
  SymbolId other;  ///< of a loop over Items: the node whose collection it is; over CommonNbrs: the
                   ///< second node; over UpNbrs or DownNbrs: the traversal
  SymbolId bound;  ///< for a deferred write; else kNoSymbol
  AssignOp op = AssignOp::set;
  std::vector<Expr> exprs;
  Range range = Range::nodes;
  bool unordered = false;   ///< true for a Foreach
  bool serial = false;      ///< a Foreach for one thread: its iterations share an array; also the
                            ///< declaration of that array
  bool parallel = false;    ///< true if threads share it: it is in no other such loop
  bool backwards = false;   ///< Items from the last to the first
  bool transposed = false;  ///< a traversal against the edges' direction
  bool breadth_first = false;
  bool checked = false;  ///< `node` may be NIL, where the program stops
  std::string trip;      ///< for a While or Do: its symbol in formulas
  std::vector<Place> group;
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  std::vector<Stmt> condition;  ///< statements to run before exprs[0] of While and Do, or the
                                ///< navigator, is evaluated
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

struct Procedure {
  const Source* source = nullptr;  ///< outlives the procedure
  std::string name;
  std::vector<SymbolId> graphs;  ///< that it takes, in order
  std::optional<Type> returns;
  Position at;
  std::deque<Symbol> symbols;         ///< references to them stay valid when others are added
  std::vector<SymbolId> arguments;    ///< scalars that it takes, in order
  std::vector<SymbolId> outputs;      ///< scalars that it gives back
  std::vector<SymbolId> collections;  ///< collections and maps, in order of declaration: its
                                      ///< parameters, and those outside of every loop
  std::vector<SymbolId> properties;   ///< in order of declaration, a second array after its first
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
enum class GraphArray : std::uint8_t { begin, node_idx, r_begin, r_node_idx, r_edge_idx };
/// "begin", …
[[nodiscard]] std::string_view to_string(GraphArray array);
/// The type edge (an offset) or node.
[[nodiscard]] ValueType element_type(GraphArray array);
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
[[nodiscard]] Expr node(const Procedure& procedure, SymbolId symbol, Position at);
[[nodiscard]] Expr nil(Type type, Position at);
/// A built-in on `symbol`, on `node`, or on symbol[node].
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
/// The value that a reduction starts from: 0, 1, INF, -INF, True, False. Of nodes and edges the
/// greatest is NIL, which `infinity` is, and the least the one of id 0, -INF.
[[nodiscard]] Expr identity(AssignOp op, const Type& type, Position at);

/// Prints one line for each statement, indented: for tests, and for people who work on a pass.
[[nodiscard]] std::string print(const Procedure& procedure);
[[nodiscard]] std::string print(const Procedure& procedure, const Expr& expr);
[[nodiscard]] std::string print(const Procedure& procedure, const Place& place);

}  // namespace Atoll::greenmarl::ir
