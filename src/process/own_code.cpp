#include "process/own_code.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace Atoll::process {
namespace {

template <std::size_t N>
bool starts_with_any(std::string_view text, const std::array<std::string_view, N>& prefixes) {
  return std::ranges::any_of(prefixes, [&](auto prefix) { return text.starts_with(prefix); });
}

template <std::size_t N>
bool contains_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts,
                             [&](auto part) { return text.find(part) != std::string_view::npos; });
}

/// Returns true for files in folders where systems, compilers, package managers and Atoll's
/// installation keep their code.
bool is_library_file(std::string_view file) {
  // Paths of Rust's standard library, independent of the machine that compiled it.
  static constexpr std::array<std::string_view, 9> kFolders{
      "/usr/include/", "/usr/lib/",     "/usr/src/",      "/usr/local/go/", "/rustc/",
      "/rust/deps/",   "library/core/", "library/alloc/", "library/std/"};
  static constexpr std::array<std::string_view, 7> kWithin{
      "/include/c++/", "/.cargo/registry/", "/.cargo/git/",   "/rustlib/src/",
      "/go/pkg/mod/",  "/sysdeps/",         "/include/atoll/"};
  return starts_with_any(file, kFolders) || contains_any(file, kWithin);
}

bool is_library_module(std::string_view module, std::string_view program) {
  static constexpr std::array<std::string_view, 4> kFolders{"/lib", "/usr/lib", "/usr/local/lib",
                                                            "[vdso]"};
  if (module.empty() || module == program) return false;
  // Plans record only the last part of a module's path.
  if (module.find('/') == std::string_view::npos)
    return module.find(".so") != std::string_view::npos;
  return starts_with_any(module, kFolders) || module.find("/libatoll-") != std::string_view::npos;
}

/// Returns the name without template return types, parameters and the wrapping syntax of Rust
/// ("<alloc::vec::Vec<T> as core::clone::Clone>::clone" becomes a name that begins with "alloc::").
std::string_view qualified(std::string_view name) {
  int depth = 0;
  std::size_t begin = 0, end = 0;
  for (; end < name.size(); ++end) {
    const char c = name[end];
    const std::string_view rest = name.substr(end);
    if (depth == 0 && rest.starts_with("operator")) {
      end = name.size();
      break;
    }
    if (depth == 0 && c == '(' && !rest.starts_with("(anonymous")) break;
    if (c == '<' || c == '[' || c == '{' || c == '(') ++depth;
    if (c == '>' || c == ']' || c == '}' || c == ')') --depth;
    if (c == ' ' && depth == 0) begin = end + 1;
  }
  name = name.substr(begin, end - begin);
  name.remove_prefix(std::min(name.find_first_not_of("<&*[("), name.size()));
  for (const std::string_view word : {"mut ", "const ", "dyn "})
    if (name.starts_with(word)) name.remove_prefix(word.size());
  return name;
}

/// Returns true for names of Atoll's libraries, which may be linked statically with debug
/// information.
bool is_of_atoll(std::string_view name) {
  return name.starts_with("Atoll::");
}

/// Returns true for names of languages' run-time libraries, of which programs may contain copies.
bool is_of_library(std::string_view name) {
  static constexpr std::array<std::string_view, 13> kPrefixes{
      "std::",   "__gnu_cxx::", "__cxxabiv1::", "boost::",    "alloc::", "core::", "hashbrown::",
      "__rustc", "rust_begin",  "runtime.",     "_gfortran_", "_start",  "__libc_"};
  return starts_with_any(name, kPrefixes);
}

/// Returns true for names of allocation functions, including programs' own such as "zmalloc",
/// "sqlite3Malloc" and "PyMem_RawRealloc".
bool is_allocator(std::string_view name) {
  static constexpr std::array<std::string_view, 5> kPrefixes{"operator new", "__rust_", "__rdl_",
                                                             "__rg_", "je_"};
  static constexpr std::array<std::string_view, 5> kNames{"mmap", "memalign", "posix_memalign",
                                                          "aligned_alloc", "valloc"};
  if (starts_with_any(name, kPrefixes) || std::ranges::find(kNames, name) != kNames.end())
    return true;
  for (const std::string_view word : {"malloc", "Malloc", "calloc", "Calloc", "realloc", "Realloc"})
    if (const std::size_t at = name.rfind(word); at != std::string_view::npos) {
      const std::size_t after = at + word.size();
      if (after == name.size() || std::islower(static_cast<unsigned char>(name[after])) == 0)
        return true;
    }
  return false;
}

}  // namespace

bool is_in_own_module(const CodePlace& place, std::string_view program) {
  return !place.module.empty() && !is_library_module(place.module, program);
}

bool is_own(const CodePlace& place, std::string_view program) {
  if (is_library_module(place.module, program)) return false;
  const std::string_view name = qualified(place.function);
  if (is_allocator(name) || is_of_atoll(name)) return false;
  if (!place.file.empty()) return !is_library_file(place.file);
  return !name.empty() && !is_of_library(name);
}

}  // namespace Atoll::process
