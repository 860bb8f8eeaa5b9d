// The tokens of Green-Marl, including those of unsupported features, so that messages can name
// them.
#pragma once

#include <cstdint>
#include <string_view>

#include "greenmarl/source.hpp"

namespace Atoll::greenmarl {

enum class Tok : std::uint8_t {
  end,
  invalid,  ///< a character that begins no token: an error, unless the surrounding tokens already
            ///< are
  identifier,
  integer,
  real,
  foreign,  ///< [ … ], foreign text
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
  /// The text in the source. For the end token: unclosed comment or foreign text, if any.
  std::string_view text;
  Position at;
};

/// Returns the token's spelling in a program; for a class of tokens, its description: "a name".
[[nodiscard]] std::string_view spelling(Tok kind);
/// Returns the longest punctuation at the beginning of the text, or invalid.
[[nodiscard]] Tok punctuation(std::string_view text);
/// Returns the keyword's token (including aliases), or identifier for other words.
[[nodiscard]] Tok keyword(std::string_view word);
/// Returns the keyword that equals the word except for case, or identifier.
[[nodiscard]] Tok keyword_in_other_letters(std::string_view word);

}  // namespace Atoll::greenmarl
