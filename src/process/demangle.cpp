// Demangles symbols of C++ and Rust. The compiler's own library demangles C++. LLVM's library, if
// Atoll was built with it, demangles Rust's v0 names. Rust's legacy names have the form of C++
// names ("_ZN" … "17h", a hash, "E"), with escapes for punctuation that C++ demanglers don't know.
#include "process/demangle.hpp"

#include <cxxabi.h>
#if ATOLL_LLVM_DEMANGLE
#include <llvm/Demangle/Demangle.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace Atoll::process {
namespace {

bool is_hash(std::string_view part) {
  return part.size() == 17 && part.starts_with('h') &&
         part.find_first_not_of("0123456789abcdef", 1) == std::string_view::npos;
}

/// Returns the character of an escape: "<" for "$LT$", "{" for "$u7b$". Empty if the escape is
/// unknown.
std::string unescaped(std::string_view word) {
  static constexpr std::array<std::pair<std::string_view, char>, 8> kWords{{{"SP", '@'},
                                                                            {"BP", '*'},
                                                                            {"RF", '&'},
                                                                            {"LT", '<'},
                                                                            {"GT", '>'},
                                                                            {"LP", '('},
                                                                            {"RP", ')'},
                                                                            {"C", ','}}};
  for (const auto& [known, character] : kWords)
    if (word == known) return {character};
  unsigned code = 0;
  const char* const end = word.data() + word.size();
  if (word.starts_with('u') && std::from_chars(word.data() + 1, end, code, 16).ptr == end &&
      code >= ' ' && code < 0x7f)
    return {static_cast<char>(code)};
  return {};
}

std::string plain(std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  std::string text;
  while (!part.empty()) {
    if (part.starts_with("..")) {
      text += "::";
      part.remove_prefix(2);
      continue;
    }
    const std::size_t end = part.starts_with('$') ? part.find('$', 1) : std::string_view::npos;
    const std::string escaped =
        end == std::string_view::npos ? "" : unescaped(part.substr(1, end - 1));
    text += escaped.empty() ? std::string(1, part.front()) : escaped;
    part.remove_prefix(escaped.empty() ? 1 : end + 1);
  }
  return text;
}

/// Returns the demangled name; empty if `symbol` isn't a legacy Rust name.
std::optional<std::string> of_old_rust(std::string_view symbol) {
  if (!symbol.starts_with("_ZN")) return std::nullopt;
  symbol.remove_prefix(3);
  std::string text;
  while (true) {
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(symbol.data(), symbol.data() + symbol.size(), length);
    symbol.remove_prefix(static_cast<std::size_t>(end - symbol.data()));
    if (error != std::errc() || length == 0 || length >= symbol.size()) return std::nullopt;
    const std::string_view part = symbol.substr(0, length);
    symbol.remove_prefix(length);
    if (symbol.front() == 'E') {
      const bool ends = symbol.size() == 1 || symbol[1] == '.';
      if (text.empty() || !ends || !is_hash(part)) return std::nullopt;
      return text;
    }
    if (!text.empty()) text += "::";
    text += plain(part);
  }
}

}  // namespace

std::string demangled(const std::string& symbol) {
#if ATOLL_LLVM_DEMANGLE
  if (symbol.starts_with("_R")) return llvm::demangle(symbol.substr(0, symbol.find('.')));
#endif
  if (!symbol.starts_with("_Z")) return symbol;
  if (auto name = of_old_rust(symbol)) return *std::move(name);
  int status = 0;
  char* const text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return result;
}

std::string function_of_symbol(const std::string& symbol) {
  if (auto name = of_old_rust(symbol)) return *std::move(name);  // a Rust name may contain dots
  return demangled(symbol.substr(0, symbol.find('.', 1)));
}

}  // namespace Atoll::process
