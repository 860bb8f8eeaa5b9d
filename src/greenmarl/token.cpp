// The keywords and punctuation of the language, with their aliases.
#include "greenmarl/token.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace Atoll::greenmarl {
namespace {

using Row = std::pair<std::string_view, Tok>;

// Messages and printed programs use a token's first spelling.
constexpr auto kKeywords = std::to_array<Row>({
    {"Procedure", Tok::procedure},
    {"Proc", Tok::procedure},
    {"Local", Tok::local},
    {"Int", Tok::int_type},
    {"Long", Tok::long_type},
    {"Float", Tok::float_type},
    {"Double", Tok::double_type},
    {"Bool", Tok::bool_type},
    {"Graph", Tok::graph},
    {"Node", Tok::node},
    {"Edge", Tok::edge},
    {"Node_Prop", Tok::node_prop},
    {"Node_Property", Tok::node_prop},
    {"N_P", Tok::node_prop},
    {"Edge_Prop", Tok::edge_prop},
    {"Edge_Property", Tok::edge_prop},
    {"E_P", Tok::edge_prop},
    {"Node_Set", Tok::node_set},
    {"N_S", Tok::node_set},
    {"Node_Order", Tok::node_order},
    {"N_O", Tok::node_order},
    {"Node_Seq", Tok::node_seq},
    {"Node_Sequence", Tok::node_seq},
    {"N_Q", Tok::node_seq},
    {"Collection", Tok::collection},
    {"Map", Tok::map},
    {"Foreach", Tok::foreach},
    {"For", Tok::for_loop},
    {"If", Tok::if_},
    {"Else", Tok::else_},
    {"While", Tok::while_},
    {"Do", Tok::do_},
    {"Return", Tok::return_},
    {"InBFS", Tok::in_bfs},
    {"InDFS", Tok::in_dfs},
    {"InPost", Tok::in_post},
    {"InReverse", Tok::in_reverse},
    {"From", Tok::from},
    {"Sum", Tok::sum},
    {"Product", Tok::product},
    {"Min", Tok::min},
    {"Max", Tok::max},
    {"Count", Tok::count},
    {"All", Tok::all},
    {"Exist", Tok::exist},
    {"Avg", Tok::avg},
    {"True", Tok::true_},
    {"False", Tok::false_},
    {"INF", Tok::inf},
    {"NIL", Tok::nil},
    {"And", Tok::and_},
    {"Or", Tok::or_},
    {"Nodes", Tok::nodes},
    {"Edges", Tok::edges},
    {"Nbrs", Tok::nbrs},
    {"OutNbrs", Tok::nbrs},
    {"InNbrs", Tok::in_nbrs},
    {"UpNbrs", Tok::up_nbrs},
    {"DownNbrs", Tok::down_nbrs},
    {"Items", Tok::items},
    {"CommonNbrs", Tok::common_nbrs},
});

constexpr auto kClasses = std::to_array<Row>({
    {"the end of the program", Tok::end},
    {"a character without meaning", Tok::invalid},
    {"a name", Tok::identifier},
    {"a number", Tok::integer},
    {"a number", Tok::real},
    {"foreign text", Tok::foreign},
});

// Longer tokens first.
constexpr auto kPunctuation = std::to_array<Row>({
    {"::", Tok::double_colon},  {"+=", Tok::plus_assign}, {"*=", Tok::times_assign},
    {"&=", Tok::and_assign},    {"|=", Tok::or_assign},   {"++", Tok::plus_plus},
    {"--", Tok::minus_minus},   {"&&", Tok::and_},        {"||", Tok::or_},
    {"==", Tok::equal},         {"!=", Tok::not_equal},   {"<=", Tok::less_equal},
    {">=", Tok::greater_equal}, {"(", Tok::left_paren},   {")", Tok::right_paren},
    {"{", Tok::left_brace},     {"}", Tok::right_brace},  {"[", Tok::left_bracket},
    {"]", Tok::right_bracket},  {",", Tok::comma},        {";", Tok::semicolon},
    {":", Tok::colon},          {".", Tok::dot},          {"@", Tok::at},
    {"?", Tok::question},       {"^", Tok::caret},        {"|", Tok::bar},
    {"=", Tok::assign},         {"+", Tok::plus},         {"-", Tok::minus},
    {"*", Tok::times},          {"/", Tok::slash},        {"%", Tok::percent},
    {"!", Tok::not_},           {"<", Tok::less},         {">", Tok::greater},
});

char small(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

std::string_view spelling(Tok kind) {
  for (const auto table : {std::span<const Row>(kClasses), std::span<const Row>(kPunctuation),
                           std::span<const Row>(kKeywords)})
    for (const auto& [text, token] : table)
      if (token == kind) return text;
  throw InternalError("a token without a spelling");
}

Tok punctuation(std::string_view text) {
  for (const auto& [known, token] : kPunctuation)
    // |x|==y is a comparison: `|=` is an assignment only if no second `=` follows.
    if (text.starts_with(known) && !(token == Tok::or_assign && text.substr(2).starts_with('=')))
      return token;
  return Tok::invalid;
}

Tok keyword(std::string_view word) {
  for (const auto& [known, token] : kKeywords)
    if (known == word) return token;
  return Tok::identifier;
}

Tok keyword_in_other_letters(std::string_view word) {
  for (const auto& [known, token] : kKeywords)
    if (known != word && std::ranges::equal(known, word, {}, small, small)) return token;
  return Tok::identifier;
}

}  // namespace Atoll::greenmarl
