// Splits the text at commas and colons outside strings and nested brackets.
#include "graph/dictionary.hpp"

#include "graph/edge_lines.hpp"

namespace Atoll::graph {
namespace {

/// Returns the first position from `at` on that holds one of `signs` outside strings and brackets.
/// Returns npos if an unmatched closing bracket or the end is reached first.
std::size_t find_outside(std::string_view text, std::size_t at, std::string_view signs) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && signs.find(c) != std::string_view::npos) return at;
    if (c == '\'' || c == '"') {
      for (++at; at < text.size() && text[at] != c; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '{' || c == '[' || c == '(') {
      ++depth;
    } else if (c == '}' || c == ']' || c == ')') {
      if (--depth < 0) return std::string_view::npos;
    }
  }
  return std::string_view::npos;
}

bool is_key(std::string_view word, std::string_view key) {
  return word.size() == key.size() + 2 && (word.front() == '\'' || word.front() == '"') &&
         word.back() == word.front() && word.substr(1, key.size()) == key;
}

}  // namespace

DictionaryEntry find_in_dictionary(std::string_view text, std::string_view key) {
  text = trimmed(text);
  DictionaryEntry entry;
  if (text.size() < 2 || text.front() != '{') return entry;
  std::size_t at = 1;
  while (true) {
    const std::size_t end = find_outside(text, at, ",}");
    if (end == std::string_view::npos) return entry;
    const std::string_view item = text.substr(at, end - at);
    const std::size_t colon = find_outside(item, 0, ":");
    if (colon != std::string_view::npos) {
      if (is_key(trimmed(item.substr(0, colon)), key))
        entry.value = trimmed(item.substr(colon + 1));
    } else if (!trimmed(item).empty()) {
      return entry;
    }
    at = end + 1;
    if (text[end] == '}') break;
  }
  entry.well_formed = trimmed(text.substr(at)).empty();
  return entry;
}

}  // namespace Atoll::graph
