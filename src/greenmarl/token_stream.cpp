// Errors say what was expected and what was found.
#include "greenmarl/token_stream.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "greenmarl/lexer.hpp"
#include "greenmarl/parser.hpp"

namespace Atoll::greenmarl {

TokenStream::TokenStream(Diagnostics& diagnostics)
    : diagnostics_(diagnostics), tokens_(lex(diagnostics)) {}

TokenStream::Level::Level(TokenStream& stream) : stream_(stream) {
  if (++stream_.depth_ > kMaxDepth)
    stream_.fail_at(stream_.peek().at, "this is nested too deeply",
                    fmt::format("at most {} levels; split it up", kMaxDepth));
}

const Token& TokenStream::peek(std::size_t ahead) const {
  return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
}

const Token& TokenStream::take() {
  const Token& token = peek();
  next_ = std::min(next_ + 1, tokens_.size() - 1);
  return token;
}

bool TokenStream::accept(Tok kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

const Token& TokenStream::expect(Tok kind, std::string_view where) {
  if (!at(kind)) fail_expected(fmt::format("'{}' {}", spelling(kind), where));
  return take();
}

ast::Name TokenStream::expect_name(std::string_view where) {
  if (!at(Tok::identifier)) {
    const bool is_keyword = keyword(peek().text) != Tok::identifier;
    fail_expected(fmt::format("a name {}{}", where, is_keyword ? ", not a keyword" : ""));
  }
  const Token& token = take();
  return {std::string(token.text), token.at};
}

std::string TokenStream::found() const {
  return at(Tok::end) ? "the end of the program" : fmt::format("'{}'", peek().text);
}

void TokenStream::fail_expected(std::string_view what) const {
  if (at(Tok::invalid)) {
    const auto byte = static_cast<unsigned char>(peek().text[0]);
    fail_at(peek().at,
            byte > ' ' && byte < 0x7f ? fmt::format("'{}' means nothing here", peek().text)
                                      : fmt::format("the byte 0x{:02x} means nothing here", byte),
            "a program is ASCII text outside of comments");
  }
  fail_at(peek().at, fmt::format("{} can't stand here", found()), fmt::format("expected {}", what));
}

void TokenStream::fail_at(Position at, std::string_view message, std::string_view way_out) const {
  diagnostics_.fail(at, message, way_out);
}

void TokenStream::skip_statement() {
  for (int depth = 0; !at(Tok::end); take()) {
    if (at(Tok::left_brace)) ++depth;
    if (at(Tok::right_brace) && depth-- == 0) return;
    const bool closed = at(Tok::right_brace) && depth == 0;
    if (closed || (at(Tok::semicolon) && depth == 0)) {
      take();
      return;
    }
  }
}

void TokenStream::skip_procedure() {
  do {
    take();
  } while (!at(Tok::end) && !at(Tok::procedure) && !at(Tok::local));
}

}  // namespace Atoll::greenmarl
