// The tokens of Green-Marl. All of the language's are here, so that messages can name what isn't
// supported yet.
#pragma once

#include <cstdint>
#include <string_view>

#include "greenmarl/source.hpp"

namespace Atoll::greenmarl {

enum class Tok : std::uint8_t {
  end,
  invalid,  ///< a character that no token starts with: an error, unless the tokens around it
            ///< already are one
  identifier,
  integer,
  real,
  foreign,  ///< [ … ], text of another language
  // keywords
  procedure,
  local,
  int_type,
  long_type,
  float_type,
  double_type,
  bool_type,
  graph,
  node,
  edge,
  node_prop,
  edge_prop,
  node_set,
  node_order,
  node_seq,
  collection,
  map,
  foreach,
  for_loop,
  if_,
  else_,
  while_,
  do_,
  return_,
  in_bfs,
  in_dfs,
  in_post,
  in_reverse,
  from,
  sum,
  product,
  min,
  max,
  count,
  all,
  exist,
  avg,
  true_,
  false_,
  inf,
  nil,
  nodes,
  edges,
  nbrs,
  in_nbrs,
  up_nbrs,
  down_nbrs,
  items,
  common_nbrs,
  // punctuation
  left_paren,
  right_paren,
  left_brace,
  right_brace,
  left_bracket,
  right_bracket,
  comma,
  semicolon,
  colon,
  double_colon,
  dot,
  at,
  question,
  caret,
  bar,
  assign,
  plus_assign,
  times_assign,
  and_assign,
  or_assign,
  plus_plus,
  minus_minus,
  plus,
  minus,
  times,
  slash,
  percent,
  not_,
  and_,
  or_,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

struct Token {
  Tok kind = Tok::end;
  /// As in the program; points into the source. Of the end: a comment that isn't closed.
  std::string_view text;
  Position at;
};

/// The token as it is written in a program; for a class of tokens its description: "a name".
[[nodiscard]] std::string_view spelling(Tok kind);
/// The longest punctuation that the text starts with, or invalid.
[[nodiscard]] Tok punctuation(std::string_view text);
/// The keyword's token, aliases included, or identifier for other words.
[[nodiscard]] Tok keyword(std::string_view word);
/// The keyword that the word is in other letters, large or small; else identifier.
[[nodiscard]] Tok keyword_in_other_letters(std::string_view word);

}  // namespace Atoll::greenmarl
