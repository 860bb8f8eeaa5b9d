// Values and names as words of a line, separated by blanks. A word with blanks or quotes is written
// in double quotes, with inner quotes doubled. In a table (CSV), a cell is one value.
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
  bool quoted = false;  ///< always a label, regardless of its text
};

/// Appends the words of a line. Throws Error (input) for an unclosed quote.
void split_words(std::string_view line, std::vector<Word>& words, const Where& where);
/// Appends the words of a cell: one, or those of an edge.
void split_cell(std::string_view cell, ValueType type, std::vector<Word>& words,
                const Where& where);

/// Context of a value's text.
enum class Style {
  line,  ///< in a line with other words
  cell,  ///< alone, where blanks need no quotes
};

/// Appends a value's text: a number with as many digits as distinguish it from all other values of
/// its type, or INF, -INF, NaN, NIL, True, False, a node's label, or an edge's two ends (the second
/// of several edges with the same ends is followed by "#2").
void append_value(std::string& out, ValueType type, Scalar value, const Names& names, Style style);
[[nodiscard]] std::string cell_text(ValueType type, Scalar value, const Names& names);

/// Returns text such as "an Int (32 bits)" or "a node".
[[nodiscard]] std::string_view a_value_of(ValueType type);

/// Reads values from the words of a line.
class WordReader {
 public:
  WordReader(std::span<const Word> words, const Where& where) : words_(words), where_(where) {}

  /// Reads the next value. Throws Error (input) if there is none, if it has another type, or if the
  /// node or edge doesn't exist.
  [[nodiscard]] Scalar take(ValueType type, const Names& names);
  /// Reads a node, which must not be NIL.
  [[nodiscard]] std::uint64_t take_node(const Names& names);
  /// Skips words that are already known.
  void skip(std::size_t words) { words_ = words_.subspan(words); }
  /// Throws Error (input), with the expected form of a line, unless all words were read.
  void finish(std::string_view form) const;

 private:
  Word next(std::string_view wanted);

  std::span<const Word> words_;
  const Where& where_;
};

/// Reads a single value. Throws as WordReader does.
[[nodiscard]] Scalar read_value(std::string_view text, ValueType type, const Names& names,
                                const Where& where);
/// Reads a value that is neither a node nor an edge.
[[nodiscard]] Scalar read_number(const std::string& text, ValueType type, const Where& where);

/// Returns 0, False or NIL.
[[nodiscard]] Scalar nothing(ValueType type, const Names& names);
/// Returns true if the value is NIL of this graph.
[[nodiscard]] bool is_nil(ValueType type, Scalar value, const Names& names);

}  // namespace Atoll::program
