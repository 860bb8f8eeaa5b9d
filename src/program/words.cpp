// Converts numbers with std::to_chars and std::from_chars, which are exact.
#include "program/words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "atoll/base/error.hpp"

namespace Atoll::program {
namespace {

constexpr std::string_view kBlanks = " \t\r";

bool is_blank(char c) {
  return kBlanks.find(c) != std::string_view::npos;
}

/// Appends a label as a word that is parsed as this label again.
void append_label(std::string& out, std::string_view label, Style style) {
  const bool plain =
      label != "NIL" && !label.starts_with('"') &&
      (style == Style::cell || (!label.empty() && !label.starts_with('#') &&
                                label.find_first_of(kBlanks) == std::string_view::npos));
  if (plain) {
    out += label;
    return;
  }
  out += '"';
  for (const char c : label) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

template <class Number>
void append_number(std::string& out, Number number) {
  char text[32];
  out.append(text, std::to_chars(text, text + sizeof text, number).ptr);
}

template <class Integer>
void append_integer(std::string& out, std::int64_t value) {
  if (value == std::numeric_limits<Integer>::max())
    out += "INF";
  else if (value == std::numeric_limits<Integer>::min())
    out += "-INF";
  else
    append_number(out, value);
}

template <class Real>
void append_real(std::string& out, Real value) {
  if (std::isnan(value))
    out += "NaN";
  else if (std::isinf(value))
    out += value > 0 ? "INF" : "-INF";
  else
    append_number(out, value);
}

template <class Number>
bool parse(std::string_view text, Number& number) {
  if (text == "INF" || text == "+INF" || text == "-INF") {
    using Limits = std::numeric_limits<Number>;
    if constexpr (Limits::has_infinity)
      number = text[0] == '-' ? -Limits::infinity() : Limits::infinity();
    else
      number = text[0] == '-' ? Limits::min() : Limits::max();
    return true;
  }
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && rest == text.data() + text.size() && !text.empty();
}

}  // namespace

void split_words(std::string_view line, std::vector<Word>& words, const Where& where) {
  for (std::size_t at = 0;;) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size()) return;
    Word& word = words.emplace_back();
    if (line[at] != '"') {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      word.text = line.substr(at, end - at);
      at = end;
      continue;
    }
    word.quoted = true;
    bool closed = false;
    for (++at; at < line.size() && !closed;) {
      closed = line[at] == '"' && !line.substr(at).starts_with("\"\"");
      at += line[at] == '"' && !closed ? 1 : 0;
      if (!closed) word.text += line[at];
      ++at;
    }
    if (!closed || (at < line.size() && !is_blank(line[at])))
      throw Error::input(where(), "a quote that isn't closed, or with text behind it",
                         R"(write "a label", and "" for a quote within)");
  }
}

void split_cell(std::string_view cell, ValueType type, std::vector<Word>& words,
                const Where& where) {
  if (type == ValueType::edge || (type == ValueType::node && cell.starts_with('"')))
    split_words(cell, words, where);
  else  // quoted, since a label such as "#2" looks like an edge's number
    words.push_back({std::string(cell), cell != "NIL"});
}

Scalar nothing(ValueType type, const Names& names) {
  switch (type) {
    case ValueType::float32:
    case ValueType::float64:
      return 0.0;
    case ValueType::node:
      return static_cast<std::int64_t>(names.nil_node());
    case ValueType::edge:
      return static_cast<std::int64_t>(names.nil_edge());
    default:
      return std::int64_t{0};
  }
}

bool is_nil(ValueType type, Scalar value, const Names& names) {
  if (type != ValueType::node && type != ValueType::edge) return false;
  const std::uint64_t nil = type == ValueType::node ? names.nil_node() : names.nil_edge();
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value)) == nil;
}

void append_value(std::string& out, ValueType type, Scalar value, const Names& names, Style style) {
  if (is_nil(type, value, names)) {
    out += "NIL";
    return;
  }
  switch (type) {
    case ValueType::int32:
      return append_integer<std::int32_t>(out, std::get<std::int64_t>(value));
    case ValueType::int64:
      return append_integer<std::int64_t>(out, std::get<std::int64_t>(value));
    case ValueType::float32:
      return append_real(out, static_cast<float>(std::get<double>(value)));
    case ValueType::float64:
      return append_real(out, std::get<double>(value));
    case ValueType::boolean:
      out += std::get<std::int64_t>(value) != 0 ? "True" : "False";
      return;
    case ValueType::node:
      return append_label(
          out, names.label(static_cast<std::uint64_t>(std::get<std::int64_t>(value))), style);
    case ValueType::edge: {
      const Names::Ends ends =
          names.ends(static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
      append_label(out, names.label(ends.from), Style::line);
      out += ' ';
      append_label(out, names.label(ends.to), Style::line);
      if (ends.number > 1) out += fmt::format(" #{}", ends.number);
      return;
    }
  }
}

std::string cell_text(ValueType type, Scalar value, const Names& names) {
  std::string text;
  append_value(text, type, value, names, Style::cell);
  return text;
}

std::string_view a_value_of(ValueType type) {
  switch (type) {
    case ValueType::int32:
      return "an Int (32 bits)";
    case ValueType::int64:
      return "a Long (64 bits)";
    case ValueType::float32:
      return "a Float";
    case ValueType::float64:
      return "a Double";
    case ValueType::boolean:
      return "a Bool";
    case ValueType::node:
      return "a node";
    case ValueType::edge:
      return "an edge";
  }
  return "?";
}

Scalar read_number(const std::string& text, ValueType type, const Where& where) {
  const auto wrong = [&](std::string_view way_out) {
    return Error::input(where(), fmt::format("'{}' is not {}", text, a_value_of(type)), way_out);
  };
  switch (type) {
    case ValueType::int32: {
      std::int32_t number = 0;
      std::int64_t longer = 0;
      if (parse(text, number)) return std::int64_t{number};
      throw wrong(parse(text, longer) ? "the program could take a Long"
                                      : "write a whole number, INF or -INF");
    }
    case ValueType::int64: {
      std::int64_t number = 0;
      if (parse(text, number)) return number;
      throw wrong("write a whole number, INF or -INF");
    }
    case ValueType::float32: {
      float number = 0;
      if (parse(text, number)) return double{number};
      throw wrong("write a number, INF or -INF");
    }
    case ValueType::boolean:
      if (text == "True" || text == "true" || text == "1") return std::int64_t{1};
      if (text == "False" || text == "false" || text == "0") return std::int64_t{0};
      throw wrong("write True or False");
    default: {
      double number = 0;
      if (parse(text, number)) return number;
      throw wrong("write a number, INF or -INF");
    }
  }
}

Word WordReader::next(std::string_view wanted) {
  if (words_.empty())
    throw Error::input(where_(), fmt::format("the line ends before {}", wanted),
                       "is a column missing?");
  Word word = words_.front();
  words_ = words_.subspan(1);
  return word;
}

std::uint64_t WordReader::take_node(const Names& names) {
  const Word word = next("a node");
  if (word.text == "NIL" && !word.quoted)
    throw Error::input(where_(), "NIL is no node", "name a node");
  return names.node(word.text, where_);
}

Scalar WordReader::take(ValueType type, const Names& names) {
  if (type != ValueType::node && type != ValueType::edge)
    return read_number(next(a_value_of(type)).text, type, where_);
  if (!words_.empty() && words_.front().text == "NIL" && !words_.front().quoted) {
    words_ = words_.subspan(1);
    return static_cast<std::int64_t>(type == ValueType::node ? names.nil_node() : names.nil_edge());
  }
  if (type == ValueType::node) return static_cast<std::int64_t>(take_node(names));
  Names::Ends ends;
  ends.from = take_node(names);
  ends.to = take_node(names);
  if (!words_.empty() && !words_.front().quoted && words_.front().text.starts_with('#')) {
    const std::string number = next("a number").text.substr(1);
    if (!parse(number, ends.number)) ends.number = 0;
  }
  return static_cast<std::int64_t>(names.edge(ends, where_));
}

void WordReader::finish(std::string_view form) const {
  if (!words_.empty())
    throw Error::input(where_(), fmt::format("'{}' is too much", words_.front().text),
                       fmt::format("write {}", form));
}

Scalar read_value(std::string_view text, ValueType type, const Names& names, const Where& where) {
  std::vector<Word> words;
  split_cell(text, type, words, where);
  WordReader reader(words, where);
  const Scalar value = reader.take(type, names);
  reader.finish(type == ValueType::edge ? "'from to'" : "one value");
  return value;
}

}  // namespace Atoll::program
