// The part of the parser for expressions, loop headers and types (type_parser.cpp).
#pragma once

#include "greenmarl/token_stream.hpp"

namespace Atoll::greenmarl {

class ExpressionParser : public TokenStream {
 public:
  using TokenStream::TokenStream;

 protected:
  ast::Expr expression();
  /// Parses ( expression ).
  ast::Expr parenthesised(std::string_view where);
  /// Parses a name and its suffixes: fields, calls, map entries.
  ast::Expr place();
  /// Parses "it : source . range", without enclosing parentheses.
  ast::Header header();
  ast::Expr foreign();
  /// `where` completes "expected a type …".
  ast::TypeName type(std::string_view where);
  [[nodiscard]] bool at_type() const;
  [[nodiscard]] bool at_value_type(std::size_t ahead) const;

 private:
  ast::Expr binary(int min_precedence);
  ast::Expr unary();
  ast::Expr primary();
  ast::Expr named();
  ast::Expr edge();
  ast::Expr postfix(ast::Expr expr);
  ast::Expr member(ast::Expr object);
  void arguments(ast::Expr& call);
  ast::Expr reduction(Reduction op);
  /// True if .Nodes, .Nbrs, … of a loop's source follows.
  [[nodiscard]] bool at_range(std::size_t ahead) const;
  ast::Expr source();
  void range(ast::Header& header);
  [[noreturn]] void no_range(const ast::Name& name) const;
  ast::Name graph_of_type();
  /// Sets the height. Fails if it exceeds kMaxDepth.
  ast::Expr checked(ast::Expr expr) const;
};

}  // namespace Atoll::greenmarl
