// Tokens are the longest match; // and /* */ are comments. The previous token decides whether a '['
// begins foreign text, or an index, a navigator or a list.
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
      : diagnostics_(diagnostics), rest_(diagnostics.source().text) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // byte order mark
  }

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blanks();
      const Position at = at_;
      const bool foreign = peek(0) == '[' && begins_foreign(tokens);
      const auto [kind, length] = foreign ? Match{Tok::foreign, foreign_length()} : next();
      if (kind == Tok::end) {
        tokens.push_back({kind, unclosed_, at});
        return tokens;
      }
      tokens.push_back({kind, rest_.substr(0, length), at});
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
    at_ = behind(at_, rest_.substr(0, characters));
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
          unclosed_ = rest_;
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

  /// Records for each '(' whether it encloses a traversal's header, and for each '[' whether it
  /// follows "::".
  void follow(const std::vector<Token>& tokens) {
    const Tok kind = tokens.back().kind;
    if (kind == Tok::left_paren) {
      const Tok before = tokens.size() > 1 ? tokens[tokens.size() - 2].kind : Tok::end;
      traversal_.push_back(before == Tok::in_bfs || before == Tok::in_dfs ||
                           (before == Tok::right_paren && closed_traversal_));
    } else if (kind == Tok::right_paren && !traversal_.empty()) {
      closed_traversal_ = traversal_.back();
      traversal_.pop_back();
    } else if (kind == Tok::left_bracket) {
      changes_.push_back(tokens.size() > 1 && tokens[tokens.size() - 2].kind == Tok::double_colon);
    } else if (kind == Tok::right_bracket && !changes_.empty()) {
      closed_changes_ = changes_.back();
      changes_.pop_back();
    }
  }

  [[nodiscard]] bool begins_foreign(const std::vector<Token>& tokens) const {
    if (tokens.empty()) return false;
    const Tok before = tokens.back().kind;
    if (before == Tok::right_bracket) return closed_changes_;  // a statement begins after ":: [x]"
    return before != Tok::identifier && before != Tok::double_colon && before != Tok::at &&
           !(before == Tok::right_paren && closed_traversal_);
  }

  /// Returns the length of foreign text up to its closing ']'. Nested brackets and quoted texts are
  /// skipped.
  [[nodiscard]] std::size_t foreign_length() {
    int depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"' || c == '\'') {
        i = std::max(i, quoted_until(i));
      } else if (c == '[') {
        ++depth;
      } else if (c == ']' && --depth == 0) {
        return i + 1;
      }
    }
    diagnostics_.error(at_, "this foreign text isn't closed", "end it with ]");
    unclosed_ = rest_;
    return rest_.size();
  }

  /// Returns the position of the closing quote; 0 if it isn't on the same line.
  [[nodiscard]] std::size_t quoted_until(std::size_t first) const {
    for (std::size_t i = first + 1; i < rest_.size() && rest_[i] != '\n'; ++i) {
      if (rest_[i] == rest_[first]) return i;
      if (rest_[i] == '\\') ++i;
    }
    return 0;
  }

  Diagnostics& diagnostics_;
  std::vector<bool> traversal_;  ///< for each open '(': whether it encloses a traversal's header
  std::vector<bool> changes_;    ///< for each open '[': whether it lists changes of foreign text
  bool closed_changes_ = false;  ///< the same for the last closed bracket
  bool closed_traversal_ = false;
  std::string_view unclosed_;
  std::string_view rest_;
  Position at_;
};

}  // namespace

std::vector<Token> lex(Diagnostics& diagnostics) {
  return Lexer(diagnostics).run();
}

}  // namespace Atoll::greenmarl
