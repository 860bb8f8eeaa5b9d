// The syntax tree of a program, before name resolution and type checks. Nodes are plain values.
// Equal trees represent the same program, independent of positions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "atoll/greenmarl/compiler.hpp"
#include "greenmarl/operators.hpp"
#include "greenmarl/source.hpp"

namespace Atoll::greenmarl::ast {

struct Name {
  std::string text;
  Position at;
  friend bool operator==(const Name&, const Name&) = default;
};

/// A type as written in the program.
struct TypeName {
  enum class Kind : std::uint8_t {
    value,       ///< value: Int, Long, Float, Double, Bool; Node or Edge of `graph`
    graph,       ///< Graph
    node_prop,   ///< Node_Prop<of[0]>(graph)
    edge_prop,   ///< Edge_Prop<of[0]>(graph)
    node_set,    ///< Node_Set(graph)
    node_order,  ///< Node_Order(graph)
    node_seq,    ///< Node_Seq(graph)
    collection,  ///< Collection<of[0]>(graph); of[0] is a Node_Set, Node_Order or Node_Seq
    map,         ///< Map<of[0], of[1]>
  };
  Kind kind = Kind::value;
  Position at;
  ValueType value = ValueType::float64;
  Name graph;  ///< may be empty
  std::vector<TypeName> of;
  friend bool operator==(const TypeName&, const TypeName&) = default;
};

struct Header;

enum class ExprKind : std::uint8_t {
  integer,      ///< name: the digits
  real,         ///< name: as written
  boolean,      ///< name: True or False
  infinity,     ///< INF
  nil,          ///< NIL
  name,         ///< name
  field,        ///< args[0].name
  call,         ///< name(args): a procedure, or Uniform, Rand, Log, Exp, Pow
  method,       ///< args[0].name(args[1], …)
  index,        ///< args[0][args[1]]
  edge_of,      ///< Edge(args[0]): the edge that a loop followed to its iterator
  unary,        ///< unary args[0]
  binary,       ///< args[0] binary args[1]
  conditional,  ///< args[0] ? args[1] : args[2]
  cast,         ///< (type) args[0]
  reduction,    ///< reduction(header)(filter){args[0]}; Count has no args
  foreign,      ///< [texts[0] $args[0] texts[1] $args[1] … texts[n]]
};

struct Expr {
  ExprKind kind = ExprKind::name;
  Position at;
  Name name;
  UnaryOp unary = UnaryOp::negate;
  BinaryOp binary = BinaryOp::add;
  Reduction reduction = Reduction::sum;
  TypeName type;
  std::vector<Header> header;  ///< of a reduction
  std::vector<Expr> filter;    ///< empty or one
  std::vector<Expr> args;
  std::vector<std::string> texts;  ///< foreign text; one element more than args
  int height = 1;                  ///< of the subtree; limited, which also limits recursion
  friend bool operator==(const Expr&, const Expr&);
};

/// it : source.range
struct Header {
  Name iterator;
  Expr source;              ///< a name, or a field that holds a collection
  bool transposed = false;  ///< source^
  bool backwards = false;   ///< source-.Items; a `+` has no effect
  Range range = Range::nodes;
  std::vector<Expr> args;  ///< of CommonNbrs(node)
  friend bool operator==(const Header&, const Header&) = default;
};

inline bool operator==(const Expr& a, const Expr& b) {
  return a.kind == b.kind && a.name == b.name && a.unary == b.unary && a.binary == b.binary &&
         a.reduction == b.reduction && a.type == b.type && a.header == b.header &&
         a.filter == b.filter && a.args == b.args && a.texts == b.texts;
}

enum class StmtKind : std::uint8_t {
  block,      ///< { body }
  declare,    ///< type names = value;
  assign,     ///< targets[0] op values[0]; or deferred: targets[0] <= values[0] @ bound; of several
              ///< targets, <a; b, c> op <x; y, z>, the first decides (op is min or max)
  loop,       ///< Foreach or For (header)(condition) body
  traversal,  ///< InBFS or InDFS (header From root)[navigator](condition) body
              ///< InReverse or InPost (other_condition) otherwise
  if_,        ///< If (condition) body Else otherwise
  while_,     ///< While (condition) body
  do_while,   ///< Do body While (condition);
  return_,    ///< Return values[0];
  call,       ///< values[0], a call or a method, as a statement
  foreign,    ///< values[0], foreign text :: [changes]
};

struct Stmt {
  StmtKind kind = StmtKind::block;
  Position at;
  TypeName type;
  std::vector<Name> names;
  std::vector<Expr> targets;  ///< names, fields, or map entries
  AssignOp op = AssignOp::set;
  bool deferred = false;
  Name bound;                         ///< the iterator after '@'; may be empty
  bool parallel = false;              ///< true for Foreach, false for For
  bool breadth_first = false;         ///< true for InBFS, false for InDFS
  std::vector<Header> header;         ///< of a loop or traversal
  std::vector<Expr> root;             ///< of a traversal
  std::vector<Expr> navigator;        ///< empty or one
  std::vector<Expr> condition;        ///< also the filter of a loop or traversal; empty or one
  std::vector<Expr> other_condition;  ///< the filter of InReverse or InPost; empty or one
  std::vector<Expr> values;
  std::vector<Expr> changes;  ///< names or fields
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  bool has_otherwise = false;  ///< true if a traversal has InReverse or InPost
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

struct Parameter {
  Name name;
  TypeName type;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Procedure {
  Name name;
  bool local = false;
  std::vector<Parameter> inputs;   ///< before the `;`
  std::vector<Parameter> outputs;  ///< after the `;`
  std::optional<TypeName> returns;
  std::vector<Stmt> body;
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

/// A file.
struct Module {
  std::vector<Procedure> procedures;
  friend bool operator==(const Module&, const Module&) = default;
};

/// The program's text, fully parenthesised. It parses to an equal tree.
[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] std::string print(const Procedure& procedure);
[[nodiscard]] std::string print(const Expr& expr);
[[nodiscard]] std::string print(const TypeName& type);

}  // namespace Atoll::greenmarl::ast
