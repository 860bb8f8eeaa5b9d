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
  /// Where the next token is in the list.
  [[nodiscard]] std::size_t mark() const { return next_; }
  /// True where a statement surely begins: the ';' before it is missing then.
  [[nodiscard]] bool begins_statement() const;
  /// True before a procedure and at the end.
  [[nodiscard]] bool at_procedure() const {
    return at(Tok::procedure) || at(Tok::local) || at(Tok::end);
  }
  /// Takes the ';' behind a statement. Before the next line's statement it is only reported.
  void end_statement(std::string_view where);
  /// Goes on behind the statement that began at `start` and that a mistake is in, or before the '}'
  /// of the block that it is in.
  void skip_statement(std::size_t start);
  /// Goes on before the next procedure, but behind `start`.
  void skip_procedure(std::size_t start);

  Diagnostics& diagnostics_;

 private:
  /// What `fail_expected` says if the token is a keyword in small letters, or known from C.
  [[nodiscard]] std::string way_out_of(std::string_view what) const;

  /// True for: For (Int …
  [[nodiscard]] bool loops_as_in_c(std::size_t start) const;

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace Atoll::greenmarl
