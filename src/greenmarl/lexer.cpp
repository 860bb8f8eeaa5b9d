// Longest match first; // and /* */ are comments. A '[' that begins foreign text is told from one
// that begins an index, a navigator or a list by the token before it.
#include "greenmarl/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace Atoll::greenmarl {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

class Lexer {
 public:
  explicit Lexer(Diagnostics& diagnostics)
      : diagnostics_(diagnostics), rest_(diagnostics.source().text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blanks();
      const Position at = at_;
      const bool foreign = peek(0) == '[' && begins_foreign(tokens);
      const auto [kind, length] = foreign ? Match{Tok::foreign, foreign_length()} : next();
      tokens.push_back({kind, rest_.substr(0, length), at});
      if (kind == Tok::end) return tokens;
      follow(tokens);
      advance(length);
    }
  }

 private:
  struct Match {
    Tok kind;
    std::size_t length;
  };

  [[nodiscard]] char peek(std::size_t i) const { return i < rest_.size() ? rest_[i] : '\0'; }

  void advance(std::size_t characters) {
    for (const char c : rest_.substr(0, characters)) {
      if (c == '\n')
        at_ = {at_.line + 1, 1};
      else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)  // a UTF-8 character counts once
        ++at_.column;
    }
    rest_.remove_prefix(characters);
  }

  void skip_blanks() {
    for (;;) {
      if (peek(0) == '/' && peek(1) == '/') {
        advance(std::min(rest_.find('\n'), rest_.size()));
      } else if (peek(0) == '/' && peek(1) == '*') {
        const std::size_t close = rest_.find("*/", 2);
        if (close == std::string_view::npos) {
          diagnostics_.error(at_, "this comment isn't closed", "end it with */");
          advance(rest_.size());
          return;
        }
        advance(close + 2);
      } else if (!rest_.empty() &&
                 std::string_view(" \t\r\n\f\v").find(rest_[0]) != std::string_view::npos) {
        advance(1);
      } else {
        return;
      }
    }
  }

  [[nodiscard]] Match next() const {
    if (rest_.empty()) return {Tok::end, 0};
    if (is_letter(rest_[0])) return word();
    if (is_digit(rest_[0]) || (rest_[0] == '.' && is_digit(peek(1)))) return number();
    const Tok kind = punctuation(rest_);
    return {kind, kind == Tok::invalid ? 1 : spelling(kind).size()};
  }

  [[nodiscard]] Match word() const {
    std::size_t length = 1;
    while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
    return {keyword(rest_.substr(0, length)), length};
  }

  [[nodiscard]] Match number() const {
    std::size_t length = 0;
    Tok kind = Tok::integer;
    const auto digits = [&] {
      while (is_digit(peek(length))) ++length;
    };
    digits();
    if (peek(length) == '.') {
      kind = Tok::real;
      ++length;
      digits();
    }
    if (peek(length) == 'e' || peek(length) == 'E') {
      const std::size_t sign = peek(length + 1) == '+' || peek(length + 1) == '-' ? 1 : 0;
      if (is_digit(peek(length + 1 + sign))) {
        kind = Tok::real;
        length += 1 + sign;
        digits();
      }
    }
    if (is_letter(peek(length)))
      diagnostics_.error({at_.line, at_.column + static_cast<int>(length)},
                         fmt::format("'{}' directly after a number", peek(length)),
                         "put a space between them");
    return {kind, length};
  }

  /// Remembers of each '(' whether a traversal's header stands in it.
  void follow(const std::vector<Token>& tokens) {
    const Tok kind = tokens.back().kind;
    if (kind == Tok::left_paren) {
      const Tok before = tokens.size() > 1 ? tokens[tokens.size() - 2].kind : Tok::end;
      traversal_.push_back(before == Tok::in_bfs || before == Tok::in_dfs);
    } else if (kind == Tok::right_paren && !traversal_.empty()) {
      closed_traversal_ = traversal_.back();
      traversal_.pop_back();
    }
  }

  [[nodiscard]] bool begins_foreign(const std::vector<Token>& tokens) const {
    if (tokens.empty()) return false;
    const Tok before = tokens.back().kind;
    return before != Tok::identifier && before != Tok::right_bracket &&
           before != Tok::double_colon && before != Tok::at &&
           !(before == Tok::right_paren && closed_traversal_);
  }

  /// The length up to the ']' that closes it; brackets within it and texts in quotes don't.
  [[nodiscard]] std::size_t foreign_length() const {
    int depth = 0;
    char quote = '\0';
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (quote != '\0') {
        if (c == '\\') ++i;
        if (c == quote) quote = '\0';
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[') {
        ++depth;
      } else if (c == ']' && --depth == 0) {
        return i + 1;
      }
    }
    diagnostics_.error(at_, "this foreign text isn't closed", "end it with ]");
    return rest_.size();
  }

  Diagnostics& diagnostics_;
  std::vector<bool> traversal_;  ///< for each '(' that is open
  bool closed_traversal_ = false;
  std::string_view rest_;
  Position at_;
};

}  // namespace

std::vector<Token> lex(Diagnostics& diagnostics) {
  return Lexer(diagnostics).run();
}

}  // namespace Atoll::greenmarl
