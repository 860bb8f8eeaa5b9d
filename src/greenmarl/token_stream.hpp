// What both halves of the parser do with tokens: look at them, take them, expect them, report
// errors.
#pragma once

#include <vector>

#include "greenmarl/ast.hpp"
#include "greenmarl/diagnostics.hpp"
#include "greenmarl/token.hpp"

namespace Atoll::greenmarl {

class TokenStream {
 public:
  explicit TokenStream(Diagnostics& diagnostics);

 protected:
  /// Counts a level of nesting during its lifetime.
  class Level {
   public:
    explicit Level(TokenStream& stream);
    ~Level() { --stream_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TokenStream& stream_;
  };

  [[nodiscard]] const Token& peek(std::size_t ahead = 0) const;
  [[nodiscard]] bool at(Tok kind) const { return peek().kind == kind; }
  const Token& take();
  bool accept(Tok kind);
  /// `where` completes "expected ';' …": "after a declaration".
  const Token& expect(Tok kind, std::string_view where);
  ast::Name expect_name(std::string_view where);
  /// Describes the next token for messages: "'x'", "the end of the program".
  [[nodiscard]] std::string found() const;
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_at(Position at, std::string_view message, std::string_view way_out) const;
  /// Goes on behind the statement that a mistake is in: behind the next ';' or a block, or before
  /// the '}' of the block that it is in.
  void skip_statement();
  /// Goes on before the next procedure.
  void skip_procedure();

  Diagnostics& diagnostics_;

 private:
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace Atoll::greenmarl
