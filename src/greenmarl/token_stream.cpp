// Access to the tokens for the parser. Errors name the expected and the found token.
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

std::string TokenStream::way_out_of(std::string_view what) const {
  const Tok meant = keyword_in_other_letters(peek().text);
  if (at(Tok::identifier) && meant != Tok::identifier)
    return fmt::format("expected {}; the keyword is written {}", what, spelling(meant));
  return fmt::format("expected {}", what);
}

void TokenStream::fail_expected(std::string_view what) const {
  if (at(Tok::end) && !peek().text.empty())
    throw MistakeReported{};  // the lexer has already reported it
  if (at(Tok::invalid)) {
    const auto byte = static_cast<unsigned char>(peek().text[0]);
    fail_at(peek().at,
            byte > ' ' && byte < 0x7f ? fmt::format("'{}' means nothing here", peek().text)
                                      : fmt::format("the byte 0x{:02x} means nothing here", byte),
            byte == '&'   ? "write && for and"
            : byte == '"' ? "there are no texts but foreign ones: [ … ]"
                          : "a program is ASCII text outside of comments");
  }
  fail_at(peek().at, fmt::format("{} can't stand here", found()), way_out_of(what));
}

void TokenStream::fail_at(Position at, std::string_view message, std::string_view way_out) const {
  diagnostics_.fail(at, message, way_out);
}

bool TokenStream::begins_statement() const {
  switch (peek().kind) {
    case Tok::foreach:
    case Tok::for_loop:
    case Tok::if_:
    case Tok::while_:
    case Tok::do_:
    case Tok::return_:
    case Tok::in_bfs:
    case Tok::in_dfs:
    case Tok::int_type:
    case Tok::long_type:
    case Tok::float_type:
    case Tok::double_type:
    case Tok::bool_type:
    case Tok::graph:
    case Tok::node:
    case Tok::node_prop:
    case Tok::edge_prop:
    case Tok::node_set:
    case Tok::node_order:
    case Tok::node_seq:
    case Tok::collection:
    case Tok::map:
    case Tok::right_brace:
      return true;
    default:
      break;
  }
  // name = …, name.name = …, name.name(
  if (!at(Tok::identifier)) return false;
  const bool member = peek(1).kind == Tok::dot;
  const Tok next = peek(member ? 3 : 1).kind;
  switch (next) {
    case Tok::assign:
    case Tok::plus_assign:
    case Tok::times_assign:
    case Tok::and_assign:
    case Tok::or_assign:
    case Tok::plus_plus:
    case Tok::minus_minus:
      return true;
    default:
      return member && next == Tok::left_paren;
  }
}

void TokenStream::end_statement(std::string_view where) {
  if (accept(Tok::semicolon)) return;
  const bool next_line = next_ > 0 && peek().at.line > tokens_[next_ - 1].at.line;
  try {
    expect(Tok::semicolon, where);
  } catch (const MistakeReported&) {
    if (at(Tok::right_brace) || (next_line && begins_statement())) return;
    throw;
  }
}

// Counts parentheses and braces from the beginning of the statement, since the mistake may be
// inside some. A closing brace of a block ends the statement, unless Else or a similar keyword
// follows. The closing brace of a reduction's body doesn't end it.
void TokenStream::skip_statement(std::size_t start) {
  const std::size_t mistake = next_;
  const Tok first = tokens_[start].kind;
  const auto is_reduction = [](Tok kind) { return kind >= Tok::sum && kind <= Tok::avg; };
  std::vector<bool> parentheses;  // open parentheses: true if it belongs to a reduction
  std::vector<bool> braces;       // open braces: true if it encloses a reduction's body
  bool after_reduction = false;   // the previous token closed a reduction's header or filter
  std::size_t blocks = 0;         // the number of braces that enclose blocks
  for (next_ = start; !at(Tok::end); take()) {
    if (next_ >= mistake && at_procedure()) return;
    switch (peek().kind) {
      case Tok::left_paren:
        parentheses.push_back(after_reduction ||
                              (next_ > start && is_reduction(tokens_[next_ - 1].kind)));
        break;
      case Tok::right_paren:
        after_reduction = !parentheses.empty() && parentheses.back();
        if (!parentheses.empty()) parentheses.pop_back();
        continue;
      case Tok::left_brace:
        braces.push_back(after_reduction);
        if (after_reduction) break;
        ++blocks;
        parentheses.clear();  // those of an unclosed header
        break;
      case Tok::right_brace: {
        if (braces.empty()) return;
        const bool block = !braces.back();
        braces.pop_back();
        if (!block) break;
        const Tok after = peek(1).kind;
        const bool goes_on = after == Tok::else_ || after == Tok::in_reverse ||
                             after == Tok::in_post || (first == Tok::do_ && after == Tok::while_);
        if (--blocks > 0 || next_ < mistake || goes_on) break;
        take();
        return;
      }
      case Tok::semicolon: {
        const bool in_header =
            parentheses.size() == 1 && braces.empty() &&
            (first == Tok::in_bfs || first == Tok::in_dfs || loops_as_in_c(start));
        if (next_ < mistake || blocks > 0 || in_header || peek(1).kind == Tok::else_) break;
        take();
        return;
      }
      default:
        break;
    }
    after_reduction = false;
  }
}

bool TokenStream::loops_as_in_c(std::size_t start) const {
  return tokens_[start].kind == Tok::for_loop && start + 2 < tokens_.size() &&
         tokens_[start + 2].kind == Tok::int_type;
}

void TokenStream::skip_procedure(std::size_t start) {
  if (next_ == start) take();
  while (!at_procedure()) take();
}

}  // namespace Atoll::greenmarl
