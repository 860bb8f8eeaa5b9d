// Reports errors and warnings with the line of the program and a caret.
#include "greenmarl/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace Atoll::greenmarl {
namespace {

constexpr std::size_t kExcerptWidth = 76;
/// Limit for reported errors. A file that isn't a program would cause thousands.
constexpr std::size_t kMax = 100;

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

Position behind(Position at, std::string_view text) {
  for (const char c : text) {
    if (c == '\n')
      at = {at.line + 1, 1};
    else if (!continues_character(c))  // counts a UTF-8 character once
      ++at.column;
  }
  return at;
}

std::string Diagnostic::to_string() const {
  // Error::input() shortens long words and replaces control characters and line breaks.
  return Error::input(fmt::format("{}:{}:{}", file, line, column),
                      fmt::format("{}{}", error ? "" : "warning: ", message), way_out)
      .what();
}

CompileError::CompileError(std::vector<Diagnostic> diagnostics)
    : Error([&] {
        const auto first = std::ranges::find(diagnostics, true, &Diagnostic::error);
        return Error(Kind::input, fmt::format("{}:{}:{}", first->file, first->line, first->column),
                     first->message, first->way_out);
      }()),
      diagnostics_(std::move(diagnostics)) {}

void Diagnostics::add(bool error, Position at, std::string_view message, std::string_view way_out) {
  failed_ = failed_ || error;
  const auto here = [&](const Diagnostic& known) {
    return known.line == at.line && known.column == at.column;
  };
  if (error)
    std::erase_if(list_, [&](const Diagnostic& known) { return !known.error && here(known); });
  if (full() || std::ranges::any_of(list_, here)) return;
  list_.push_back({.error = error,
                   .file = source_.name,
                   .line = at.line,
                   .column = at.column,
                   .message = std::string(message),
                   .way_out = std::string(way_out),
                   .excerpt = excerpt_of(line_of(source_.text, at.line), at.column)});
}

void Diagnostics::error(Position at, std::string_view message, std::string_view way_out) {
  add(true, at, message, way_out);
}

void Diagnostics::warning(Position at, std::string_view message, std::string_view way_out) {
  add(false, at, message, way_out);
}

void Diagnostics::fail(Position at, std::string_view message, std::string_view way_out) {
  error(at, message, way_out);
  throw MistakeReported{};
}

bool Diagnostics::full() const {
  return list_.size() >= kMax;
}

std::vector<Diagnostic> Diagnostics::sorted() const {
  std::vector<Diagnostic> list = list_;
  std::ranges::stable_sort(list, [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  return list;
}

}  // namespace Atoll::greenmarl
