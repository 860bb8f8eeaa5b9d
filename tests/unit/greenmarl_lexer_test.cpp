// Every token of the language, with its place; aliases are one token.
#include "greenmarl/lexer.hpp"

#include <gtest/gtest.h>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::greenmarl {
namespace {

std::vector<Tok> kinds(const std::string& text) {
  const Source source{"x.gm", text};
  std::vector<Tok> result;
  for (const Token& token : lex(source)) result.push_back(token.kind);
  EXPECT_EQ(result.back(), Tok::end);
  result.pop_back();
  return result;
}

using Kinds = std::vector<Tok>;

TEST(GreenmarlLexer, Aliases) {
  EXPECT_EQ(kinds("Procedure Proc"), Kinds(2, Tok::procedure));
  EXPECT_EQ(kinds("Node_Prop Node_Property N_P"), Kinds(3, Tok::node_prop));
  EXPECT_EQ(kinds("Edge_Prop Edge_Property E_P"), Kinds(3, Tok::edge_prop));
  EXPECT_EQ(kinds("Node_Set N_S"), Kinds(2, Tok::node_set));
  EXPECT_EQ(kinds("Node_Order N_O"), Kinds(2, Tok::node_order));
  EXPECT_EQ(kinds("Node_Seq Node_Sequence N_Q"), Kinds(3, Tok::node_seq));
  EXPECT_EQ(kinds("Nbrs OutNbrs"), Kinds(2, Tok::nbrs));
  EXPECT_EQ(kinds("And && Or ||"), (Kinds{Tok::and_, Tok::and_, Tok::or_, Tok::or_}));
}

TEST(GreenmarlLexer, EveryTokenIsReadBackFromItsSpelling) {
  for (int i = static_cast<int>(Tok::real) + 1; i <= static_cast<int>(Tok::greater_equal); ++i) {
    const Tok kind{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(kinds(std::string(spelling(kind))), Kinds{kind}) << spelling(kind);
  }
}

TEST(GreenmarlLexer, Numbers) {
  EXPECT_EQ(kinds("0 12 1.5 1. .5 1e9 1.5E-3 2e+1"),
            (Kinds{Tok::integer, Tok::integer, Tok::real, Tok::real, Tok::real, Tok::real,
                   Tok::real, Tok::real}));
  EXPECT_EQ(kinds("t.x"), (Kinds{Tok::identifier, Tok::dot, Tok::identifier}));
  EXPECT_EQ(kinds("1 e"), (Kinds{Tok::integer, Tok::identifier}));
}

TEST(GreenmarlLexer, LongestMatch) {
  EXPECT_EQ(kinds("a+++b"), (Kinds{Tok::identifier, Tok::plus_plus, Tok::plus, Tok::identifier}));
  EXPECT_EQ(kinds("<=="), (Kinds{Tok::less_equal, Tok::assign}));
  EXPECT_EQ(kinds("a|=b"), (Kinds{Tok::identifier, Tok::or_assign, Tok::identifier}));
  EXPECT_EQ(kinds("|a|==b"),
            (Kinds{Tok::bar, Tok::identifier, Tok::bar, Tok::equal, Tok::identifier}));
  EXPECT_EQ(kinds("Foreach Foreachx"), (Kinds{Tok::foreach, Tok::identifier}));
}

TEST(GreenmarlLexer, PositionsCountLinesAndCharacters) {
  const Source source{"x.gm", "a\n  /* ä\n ö */ b // c\n\td"};
  const auto tokens = lex(source);
  ASSERT_EQ(tokens.size(), 4U);
  const auto place = [&](std::size_t i) {
    return std::pair(tokens[i].at.line, tokens[i].at.column);
  };
  EXPECT_EQ(place(0), std::pair(1, 1));
  EXPECT_EQ(place(1), std::pair(3, 7));  // ö is one character, of two bytes
  EXPECT_EQ(place(2), std::pair(4, 2));
  EXPECT_EQ(tokens[2].text, "d");
}

TEST(GreenmarlLexer, UnknownCharactersAreTheParsersBusiness) {
  EXPECT_EQ(kinds("a $"), (Kinds{Tok::identifier, Tok::invalid}));
  EXPECT_EQ(kinds("\xff"), Kinds{Tok::invalid});
}

TEST(GreenmarlLexer, Errors) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      kinds(text);
    } catch (const SourceError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(message("a\n /* b"), "x.gm:2:2: this comment isn't closed; end it with */");
  EXPECT_EQ(message("12ab"), "x.gm:1:3: 'a' directly after a number; put a space between them");
}

}  // namespace
}  // namespace Atoll::greenmarl
