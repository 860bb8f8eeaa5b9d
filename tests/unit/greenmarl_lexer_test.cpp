// All tokens of the language with their positions. Aliases of a token are the same token.
#include "greenmarl/lexer.hpp"

#include <gtest/gtest.h>

#include "greenmarl/diagnostics.hpp"

namespace Atoll::greenmarl {
namespace {

std::vector<Tok> kinds(const std::string& text) {
  const Source source{"x.gm", text};
  Diagnostics diagnostics(source);
  std::vector<Tok> result;
  for (const Token& token : lex(diagnostics)) result.push_back(token.kind);
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
  for (int i = static_cast<int>(Tok::foreign) + 1; i <= static_cast<int>(Tok::greater_equal); ++i) {
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
  Diagnostics diagnostics(source);
  const auto tokens = lex(diagnostics);
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

TEST(GreenmarlLexer, WordsInOtherLetters) {
  EXPECT_EQ(keyword_in_other_letters("foreach"), Tok::foreach);
  EXPECT_EQ(keyword_in_other_letters("n_p"), Tok::node_prop);
  EXPECT_EQ(keyword_in_other_letters("Foreach"), Tok::identifier);
  EXPECT_EQ(keyword_in_other_letters("fore"), Tok::identifier);
}

// Returns the foreign tokens' texts.
std::vector<std::string> foreign(const std::string& text) {
  const Source source{"x.gm", text};
  Diagnostics diagnostics(source);
  std::vector<std::string> result;
  for (const Token& token : lex(diagnostics))
    if (token.kind == Tok::foreign) result.emplace_back(token.text);
  EXPECT_FALSE(diagnostics.failed());
  return result;
}

using Texts = std::vector<std::string>;

TEST(GreenmarlLexer, ForeignTextEndsAtItsBracket) {
  EXPECT_EQ(foreign("{ [a[b[1]]; // x\n /* ] */"), Texts{"[a[b[1]]; // x\n /* ]"});
  EXPECT_EQ(foreign("x = [f(\"]\", ']', '\\'', \"\\\"]\")];"),
            Texts{"[f(\"]\", ']', '\\'', \"\\\"]\")]"});
  // A quote without a closing quote in its line is an apostrophe.
  EXPECT_EQ(foreign("; [ it's ] x"), Texts{"[ it's ]"});
  EXPECT_EQ(foreign("; [ $ # ] [b]"), (Texts{"[ $ # ]", "[b]"}));
}

TEST(GreenmarlLexer, BracketsThatBeginNoForeignText) {
  EXPECT_EQ(foreign("m[k]"), Texts{});  // a map entry
  EXPECT_EQ(foreign("m[k][l]"), Texts{});
  EXPECT_EQ(foreign("; [x] :: [y]"), Texts{"[x]"});               // [y]: changed variables
  EXPECT_EQ(foreign("InBFS (v: G.Nodes From r)[v.x]"), Texts{});  // a navigator
  EXPECT_EQ(foreign("InDFS (v: G.Nodes ; f(r))(v.y)[v.x]"), Texts{});
  EXPECT_EQ(foreign("InBFS (v: G.Nodes From r)[v.x](v.y) [z]"), Texts{"[z]"});  // the body
  EXPECT_EQ(foreign("If (x) [y]; Foreach (t: G.Nodes) [z]"), (Texts{"[y]", "[z]"}));
  EXPECT_EQ(foreign("Return [x]; y = 1 + [z]; f([u], [v])"), (Texts{"[x]", "[z]", "[u]", "[v]"}));
}

TEST(GreenmarlLexer, AMarkAtTheBeginningIsSkipped) {
  EXPECT_EQ(kinds("\xef\xbb\xbf"
                  "Proc"),
            Kinds{Tok::procedure});
}

TEST(GreenmarlLexer, Errors) {
  const auto message = [](const std::string& text) -> std::string {
    const Source source{"x.gm", text};
    Diagnostics diagnostics(source);
    static_cast<void>(lex(diagnostics));
    const auto list = diagnostics.sorted();
    EXPECT_EQ(list.size(), 1U) << text;
    return list.empty() ? "" : list[0].to_string();
  };
  EXPECT_EQ(message("a\n /* b"), "x.gm:2:2: this comment isn't closed; end it with */");
  EXPECT_EQ(message("a = [ b \n"), "x.gm:1:5: this foreign text isn't closed; end it with ]");
  EXPECT_EQ(message("12ab"), "x.gm:1:3: 'a' directly after a number; put a space between them");
  EXPECT_EQ(message("3.0f"), "x.gm:1:4: 'f' directly after a number; put a space between them");
}

}  // namespace
}  // namespace Atoll::greenmarl
