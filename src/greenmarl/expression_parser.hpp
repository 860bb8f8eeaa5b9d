// The half of the parser that reads expressions, types and loop headers.
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
  /// Parses ( it : source . range ).
  ast::Header header();
  /// Parses a type of values. Other types of the language are reported as unsupported.
  Type value_type(std::string_view where);
  [[nodiscard]] bool at_value_type() const;
  [[nodiscard]] bool at_collection_type() const;

 private:
  ast::Expr binary(int min_precedence);
  ast::Expr unary();
  ast::Expr primary();
  ast::Expr named();
  ast::Expr reduction(Reduction op);
  /// Sets the height; fails beyond kMaxDepth.
  ast::Expr checked(ast::Expr expr) const;
};

}  // namespace Atoll::greenmarl
