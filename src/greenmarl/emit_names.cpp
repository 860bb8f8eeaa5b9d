// Reserved names: C++'s keywords, macros of the included headers, and names of the emitted code.
#include "greenmarl/emit_names.hpp"

#include <algorithm>
#include <array>

namespace Atoll::greenmarl {
namespace {

constexpr auto kReserved = std::to_array<std::string_view>({
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
    // lower-case macros, and names that must keep their meaning
    "assert",
    "errno",
    "linux",
    "main",
    "std",
    "stderr",
    "stdin",
    "stdout",
    "swap",
    "unix",
    // names of the emitted code
    "Atoll",
    "Edge",
    "Node",
    "Part",
    "argc",
    "argv",
    "describe",
    "first",
    "last",
    "part",
    "run",
});

bool like_a_macro(std::string_view name) {
  return name.size() > 1 && std::ranges::none_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
}

}  // namespace

std::string cpp_name(std::string_view name) {
  const bool reserved = std::ranges::find(kReserved, name) != kReserved.end() ||
                        name.starts_with('_') || name.find("__") != std::string_view::npos ||
                        like_a_macro(name);
  if (!reserved) return std::string(name);
  std::string safe = "gm";  // avoids consecutive underscores
  for (const char c : "_" + std::string(name))
    if (c != '_' || safe.back() != '_') safe += c;
  return safe;
}

std::string NameScopes::declare(std::string_view wished) {
  const std::string base = cpp_name(wished);
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(levels_, [&](const auto& level) { return level.contains(name); });
  };
  std::string name = base;
  for (int n = 2; taken(name); ++n) name = base + "_" + std::to_string(n);
  levels_.back().insert(name);
  return name;
}

}  // namespace Atoll::greenmarl
