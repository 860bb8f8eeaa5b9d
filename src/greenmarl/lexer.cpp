// Longest match first; // and /* */ are comments.
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
  explicit Lexer(const Source& source) : source_(source), rest_(source.text) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    for (;;) {
      skip_blanks();
      const Position at = at_;
      const auto [kind, length] = next();
      tokens.push_back({kind, rest_.substr(0, length), at});
      if (kind == Tok::end) return tokens;
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
        if (close == std::string_view::npos)
          fail(source_, at_, "this comment isn't closed", "end it with */");
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
      fail(source_, {at_.line, at_.column + static_cast<int>(length)},
           fmt::format("'{}' directly after a number", peek(length)), "put a space between them");
    return {kind, length};
  }

  const Source& source_;
  std::string_view rest_;
  Position at_;
};

}  // namespace

std::vector<Token> lex(const Source& source) {
  return Lexer(source).run();
}

}  // namespace Atoll::greenmarl
