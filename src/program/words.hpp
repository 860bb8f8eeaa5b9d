// Values and names as words of a line: blanks separate them; a word with blanks or quotes in it is
// written between double quotes, which are doubled within. In a table (CSV) a cell is one value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "atoll/program/program.hpp"
#include "program/names.hpp"

namespace Atoll::program {

struct Word {
  std::string text;
  bool quoted = false;  ///< then it is a label, whatever it looks like
};

/// Adds the words of a line. Throws Error (input) for a quote that isn't closed.
void split_words(std::string_view line, std::vector<Word>& words, const Where& where);
/// Adds the words of a cell: one, or those of an edge.
void split_cell(std::string_view cell, ValueType type, std::vector<Word>& words,
                const Where& where);

/// Where a value's text stands.
enum class Style {
  line,  ///< among other words
  cell,  ///< alone: blanks need no quotes
};

/// Adds a value's text: as many digits as tell it from every other value of its type, INF, -INF,
/// NaN, NIL, True, False, a node's label, an edge's two ends (the second edge with the same ends
/// has "#2" behind them).
void append_value(std::string& out, ValueType type, Scalar value, const Names& names, Style style);
[[nodiscard]] std::string cell_text(ValueType type, Scalar value, const Names& names);

/// "an Int (32 bits)", "a node", …
[[nodiscard]] std::string_view a_value_of(ValueType type);

/// Takes values off the words of a line.
class WordReader {
 public:
  WordReader(std::span<const Word> words, const Where& where) : words_(words), where_(where) {}

  /// Reads the next value. Throws Error (input) for none, for one of another type, and for a node
  /// or an edge that isn't there.
  [[nodiscard]] Scalar take(ValueType type, const Names& names);
  /// Reads a node, which must not be NIL.
  [[nodiscard]] std::uint64_t take_node(const Names& names);
  /// Goes on behind words that are known.
  void skip(std::size_t words) { words_ = words_.subspan(words); }
  /// Throws Error (input), saying what a line has, unless all words are taken.
  void finish(std::string_view form) const;

 private:
  Word next(std::string_view wanted);

  std::span<const Word> words_;
  const Where& where_;
};

/// Reads a value that is alone. Throws as WordReader does.
[[nodiscard]] Scalar read_value(std::string_view text, ValueType type, const Names& names,
                                const Where& where);
/// Reads a value that is no node or edge.
[[nodiscard]] Scalar read_number(const std::string& text, ValueType type, const Where& where);

/// 0, False or NIL.
[[nodiscard]] Scalar nothing(ValueType type, const Names& names);
/// True for NIL of this graph.
[[nodiscard]] bool is_nil(ValueType type, Scalar value, const Names& names);

}  // namespace Atoll::program
