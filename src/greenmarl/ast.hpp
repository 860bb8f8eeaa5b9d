// The syntax tree: the content of the text, with names unresolved and types unchecked. Plain
// values; equal trees are the same program, wherever it is in its file.
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

/// it : source.range
struct Header {
  Name iterator;
  Name source;
  Range range = Range::nodes;
  friend bool operator==(const Header&, const Header&) = default;
};

enum class ExprKind : std::uint8_t {
  integer,      ///< name: the digits
  real,         ///< name: as written
  boolean,      ///< name: True or False
  infinity,     ///< INF
  name,         ///< name
  field,        ///< name.member
  call,         ///< name.member(args)
  unary,        ///< unary args[0]
  binary,       ///< args[0] binary args[1]
  conditional,  ///< args[0] ? args[1] : args[2]
  cast,         ///< (type) args[0]
  reduction,    ///< reduction(header)(filter){args[0]}; Count has no args
};

struct Expr {
  ExprKind kind = ExprKind::name;
  Position at;
  Name name;
  Name member;
  UnaryOp unary = UnaryOp::negate;
  BinaryOp binary = BinaryOp::add;
  Reduction reduction = Reduction::sum;
  Type type = Type::float64;
  Header header;
  std::vector<Expr> filter;  ///< none or one
  std::vector<Expr> args;
  int height = 1;  ///< of the tree below; limited, which limits recursion too
  friend bool operator==(const Expr&, const Expr&) = default;
};

enum class StmtKind : std::uint8_t {
  block,             ///< { body }
  declare,           ///< type names = value;
  declare_property,  ///< Node_Prop<type> names;
  assign,            ///< target.member op value; or deferred: target.member <= value @ bound
  loop,              ///< Foreach or For (header)(condition) body
  if_,               ///< If (condition) body Else otherwise
  while_,            ///< While (condition) body
  do_while,          ///< Do body While (condition);
  return_,           ///< Return value;
};

struct Stmt {
  StmtKind kind = StmtKind::block;
  Position at;
  Type type = Type::float64;
  Name graph;  ///< for a property; may be empty
  std::vector<Name> names;
  Name target;
  Name member;  ///< empty for a scalar
  AssignOp op = AssignOp::set;
  bool deferred = false;
  Name bound;             ///< @ it; may be empty
  bool parallel = false;  ///< true for Foreach, false for For
  Header header;
  std::vector<Expr> condition;  ///< also a loop's filter; none or one
  std::vector<Expr> value;      ///< none or one
  std::vector<Stmt> body;
  std::vector<Stmt> otherwise;
  friend bool operator==(const Stmt&, const Stmt&) = default;
};

struct Parameter {
  enum class Kind : std::uint8_t { graph, scalar, property };
  Name name;
  Kind kind = Kind::scalar;
  Type type = Type::float64;
  Name graph;  ///< Node_Prop<type>(graph); may be empty
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

struct Procedure {
  Name name;
  std::vector<Parameter> inputs;
  std::vector<Parameter> outputs;
  std::optional<Type> returns;
  std::vector<Stmt> body;
  friend bool operator==(const Procedure&, const Procedure&) = default;
};

/// The program's text, fully parenthesised; parses to an equal tree.
[[nodiscard]] std::string print(const Procedure& procedure);
[[nodiscard]] std::string print(const Expr& expr);

}  // namespace Atoll::greenmarl::ast
