// Token access for all parts of the parser: peek, accept, expect, report errors.
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
  /// The index of the next token.
  [[nodiscard]] std::size_t mark() const { return next_; }
  /// True if a statement certainly begins here, so that a ';' before it is missing.
  [[nodiscard]] bool begins_statement() const;
  /// True before a procedure and at the end.
  [[nodiscard]] bool at_procedure() const {
    return at(Tok::procedure) || at(Tok::local) || at(Tok::end);
  }
  /// Expects the ';' after a statement. If the next line begins a statement, only reports the
  /// missing ';'.
  void end_statement(std::string_view where);
  /// Skips the rest of the erroneous statement that began at `start`, or stops before the '}' of
  /// the enclosing block.
  void skip_statement(std::size_t start);
  /// Skips to the next procedure after `start`.
  void skip_procedure(std::size_t start);

  Diagnostics& diagnostics_;

 private:
  /// Advice of fail_expected() if the token is a keyword in lower case, or a token of C.
  [[nodiscard]] std::string way_out_of(std::string_view what) const;

  /// True if the statement at `start` is a loop in the style of C: "For (Int …".
  [[nodiscard]] bool loops_as_in_c(std::size_t start) const;

  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace Atoll::greenmarl
