// Reports errors of a program's text, with the line and a caret.
#include "greenmarl/source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "atoll/greenmarl/compiler.hpp"

namespace Atoll::greenmarl {
namespace {

constexpr std::size_t kExcerptWidth = 76;

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

std::string_view line_of(std::string_view text, int line) {
  for (; line > 1; --line) text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
  return text.substr(0, text.find('\n'));
}

std::string excerpt_of(std::string_view line, int column) {
  const auto caret = static_cast<std::size_t>(column) - 1;
  const std::size_t first = caret > kExcerptWidth / 2 ? caret - kExcerptWidth / 2 : 0;
  std::string shown;
  std::size_t characters = 0;
  for (const char c : line) {
    if (!continues_character(c) && ++characters > first + kExcerptWidth) break;
    const bool control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (characters > first) shown += control ? ' ' : c;
  }
  return fmt::format("  {}\n  {}^", shown, std::string(caret - first, ' '));
}

}  // namespace

SourceError::SourceError(std::string_view file, int line, int column, std::string_view source_line,
                         std::string_view message, std::string_view way_out)
    : Error(Kind::input, fmt::format("{}:{}:{}", file, line, column), message, way_out),
      line_(line),
      column_(column),
      excerpt_(excerpt_of(source_line, column)) {}

void fail(const Source& source, Position at, std::string_view message, std::string_view way_out) {
  throw SourceError(source.name, at.line, at.column, line_of(source.text, at.line), message,
                    way_out);
}

void fail_unsupported(const Source& source, Position at, std::string_view construct,
                      std::string_view way_out) {
  fail(source, at, fmt::format("{} is not supported yet", construct),
       way_out.empty() ? "docs/green-marl.md lists what is" : way_out);
}

}  // namespace Atoll::greenmarl
